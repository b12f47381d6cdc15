import { hash } from 'node:crypto';
import { verifyHs256, type VerifiedJwt } from '@penstock/protocol';

/** What a token says, once its signature is known to be good. */
export type TokenCheck =
  | { readonly ok: true; readonly circuitId: string }
  | { readonly ok: false; readonly reason: Extract<VerifiedJwt, { ok: false }>['reason'] };

interface KnownToken {
  readonly circuitId: string;
  readonly expiresAtMs: number | null;
}

/** Tokens remembered; the oldest is forgotten first. One takes some 200 bytes. */
const KNOWN_MAX = 8_192;
/** A longer one is never good, so it is not worth a digest. */
const TOKEN_CHARACTERS_MAX = 16_384;

/**
 * Checks endpoint tokens. Good ones are remembered by their digest, because a client sends the same one with every
 * request and its signature is good for ever; its end is looked at each time. Bad ones are not remembered, so that
 * nobody can push good ones out for free. No plaintext is kept.
 */
export class TokenVerifier {
  private readonly known = new Map<string, KnownToken>();

  constructor(private readonly secret: string) {}

  check(token: string, nowMs: number): TokenCheck {
    if (token.length > TOKEN_CHARACTERS_MAX) return { ok: false, reason: 'malformed' };
    const digest = hash('sha256', token, 'base64');
    const known = this.known.get(digest) ?? this.verify(token, digest, nowMs);
    if ('ok' in known) return known;
    if (known.expiresAtMs === null || nowMs < known.expiresAtMs)
      return { ok: true, circuitId: known.circuitId };
    this.known.delete(digest);
    return { ok: false, reason: 'expired' };
  }

  private verify(
    token: string,
    digest: string,
    nowMs: number,
  ): KnownToken | (TokenCheck & { readonly ok: false }) {
    const verified = verifyHs256(token, this.secret, nowMs);
    if (!verified.ok) return verified;
    const { id, exp } = verified.claims;
    const entry = {
      circuitId: typeof id === 'string' ? id : '',
      expiresAtMs: typeof exp === 'number' ? exp * 1_000 : null,
    };
    this.remember(digest, entry);
    return entry;
  }

  private remember(digest: string, entry: KnownToken): void {
    if (this.known.size >= KNOWN_MAX) {
      for (const oldest of this.known.keys()) {
        this.known.delete(oldest);
        break;
      }
    }
    this.known.set(digest, entry);
  }
}
