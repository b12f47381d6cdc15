import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { circuitTokenClaims } from './circuit-token.js';
import { signHs256, verifyHs256, type JwtClaims } from './jwt.js';
import { permitCookieValue } from './permit-cookie.js';

interface JwtFixture {
  readonly jwt_secret: string;
  readonly circuit_id: string;
  readonly circuit_token: { readonly claims: Record<string, unknown>; readonly token: string };
  readonly verify: readonly {
    readonly name: string;
    readonly authorization: string | null;
    readonly result: 'accept' | 'reject';
    readonly code?: string;
  }[];
  readonly coordinator_bearer: { readonly api_secret: string; readonly authorization: string };
  readonly setup_token: { readonly claims: JwtClaims; readonly token: string };
  readonly permit_cookie: {
    readonly secret: string;
    readonly user_id: string;
    readonly cookie_value: string;
  };
}

const fixture = loadFixture<JwtFixture>('jwt');
const NOW = Date.parse('2026-08-01T00:00:00Z');
const SECRET = fixture.jwt_secret;

/** What the verifier itself decides: the scheme in front and the circuit behind are the data plane's business. */
const tokens = fixture.verify.flatMap(({ authorization, ...example }) => {
  const [scheme, token] = authorization?.split(' ') ?? [];
  return scheme === 'Bearer' || scheme === 'BackendAI' ? [{ ...example, token: token ?? '' }] : [];
});

/** A signed token with any header, as an attacker without the secret cannot make but a careless peer can. */
function sign(header: object, claims: object, algorithm = 'sha256'): string {
  const [head, body] = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac(algorithm, SECRET).update(`${head}.${body}`).digest('base64url');
  return `${head}.${body}.${signature}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };

describe('verifyHs256', () => {
  it('is asked about every recorded token', () => {
    expect(tokens).toHaveLength(8);
  });

  it.each(tokens)('$name: $result', ({ token, result, code }) => {
    const verified = verifyHs256(token, SECRET, NOW);
    // E20009 is a good token of another circuit.
    expect(verified.ok).toBe(result === 'accept' || code === 'E20009');
    if (verified.ok) expect(verified.claims['id'] === fixture.circuit_id).toBe(result === 'accept');
  });

  it.each([
    ['alg-none', 'algorithm'],
    ['alg-hs512', 'algorithm'],
    ['wrong-secret', 'signature'],
    ['expired', 'expired'],
  ])('says why %s is refused', (name, reason) => {
    const token = tokens.find((example) => example.name === name)?.token ?? '';
    expect(verifyHs256(token, SECRET, NOW)).toEqual({ ok: false, reason });
  });

  it('judges expiry by the clock it is given, to the second', () => {
    const token = signHs256({ exp: 1_000 }, SECRET);
    expect(verifyHs256(token, SECRET, 999_999)).toMatchObject({ ok: true });
    expect(verifyHs256(token, SECRET, 1_000_000)).toEqual({ ok: false, reason: 'expired' });
    const early = signHs256({ nbf: 1_000 }, SECRET);
    expect(verifyHs256(early, SECRET, 999_999)).toEqual({ ok: false, reason: 'not-yet-valid' });
  });

  it.each([
    ['an expiry in words', sign(HS256, { exp: 'never' }), 'malformed'],
    ['an expiry beyond numbers', sign(HS256, {}).replace(/\.[^.]+\./, '.eyJleHAiOjFlOTk5fQ.'), 'signature'],
    ['an HMAC of another length under the right name', sign(HS256, {}, 'sha512'), 'signature'],
    ['a header that demands extensions', sign({ ...HS256, crit: ['exp'] }, {}), 'malformed'],
    ['claims that are no object', sign(HS256, ['id']), 'malformed'],
    ['another spelling of the algorithm', sign({ ...HS256, alg: 'hs256' }, {}), 'algorithm'],
    ['a fourth part', `${sign(HS256, {})}.x`, 'malformed'],
    ['no text', '', 'malformed'],
    ['dots', '..', 'malformed'],
    ['an endless text', 'a'.repeat(20_000), 'malformed'],
  ])('refuses %s', (_what, token, reason) => {
    expect(verifyHs256(token, SECRET, NOW)).toEqual({ ok: false, reason });
  });

  it('takes the control-plane token of a peer', () => {
    const { api_secret, authorization } = fixture.coordinator_bearer;
    const verified = verifyHs256(authorization.replace('Bearer ', ''), api_secret, NOW);
    expect(verified).toEqual({ ok: true, claims: { sub: 'worker' } });
  });
});

describe('signHs256', () => {
  it('makes the very setup token of a peer', () => {
    const { claims, token } = fixture.setup_token;
    expect(signHs256(claims, SECRET)).toBe(token);
  });

  it('makes a circuit token that says what the token of a peer says, in its order', () => {
    const { claims, token } = fixture.circuit_token;
    const decoded = verifyHs256(token, SECRET, NOW);
    const ours = verifyHs256(
      signHs256(circuitTokenClaims(circuit(claims), options(claims)), SECRET),
      SECRET,
      NOW,
    );
    expect(ours).toEqual(decoded);
    expect(ours.ok && Object.keys(ours.claims)).toEqual(Object.keys(claims));
  });
});

describe('permitCookieValue', () => {
  it('is what stock workers compute', () => {
    const { secret, user_id, cookie_value } = fixture.permit_cookie;
    expect(permitCookieValue(secret, user_id)).toBe(cookie_value);
    expect(permitCookieValue(secret, user_id.toUpperCase(), 'sha256')).toBe(cookie_value);
    expect(permitCookieValue(secret, user_id, 'sha512')).not.toBe(cookie_value);
  });
});

type CircuitArgument = Parameters<typeof circuitTokenClaims>[0];

function circuit(claims: Readonly<Record<string, unknown>>): CircuitArgument {
  const instant = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString();
  const times = { created_at: instant(claims['created_at']), updated_at: instant(claims['updated_at']) };
  return { ...claims, ...times, route_info: [] } as unknown as CircuitArgument;
}

function options(claims: Readonly<Record<string, unknown>>) {
  return { appUrl: String(claims['app_url']), userId: String(claims['user']), exp: Number(claims['exp']) };
}
