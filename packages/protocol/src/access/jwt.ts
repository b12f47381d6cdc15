import { createHmac, timingSafeEqual } from 'node:crypto';

const HEADER = encodeSegment({ alg: 'HS256', typ: 'JWT' });
/** Longest token worth decoding; a circuit token has about 1 200 characters. */
const TOKEN_LENGTH_MAX = 16_384;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export type JwtClaims = Readonly<Record<string, unknown>>;

export type VerifiedJwt =
  | { readonly ok: true; readonly claims: JwtClaims }
  | {
      readonly ok: false;
      readonly reason: 'malformed' | 'algorithm' | 'signature' | 'expired' | 'not-yet-valid';
    };

/** A compact JWS over the claims in the order they have, which is the order peers see. */
export function signHs256(claims: object, secret: string): string {
  const signed = `${HEADER}.${encodeSegment(claims)}`;
  return `${signed}.${mac(signed, secret).toString('base64url')}`;
}

/**
 * Takes HS256 and nothing else: the header of a token does not choose how it is checked. `exp` and `nbf` are
 * honoured when they are there; neither is demanded, as with every peer.
 * @param nowMs - clock to judge expiry by
 */
export function verifyHs256(token: string, secret: string, nowMs: number): VerifiedJwt {
  const [head = '', body = '', signature = '', ...rest] =
    token.length > TOKEN_LENGTH_MAX ? [] : token.split('.');
  const header = decodeSegment(head);
  if (header === null || rest.length > 0) return refuse('malformed');
  if (header['alg'] !== 'HS256') return refuse('algorithm');
  // A token that demands extensions of its reader is not for one that knows none.
  if ('crit' in header) return refuse('malformed');
  if (!isSignedBy(`${head}.${body}`, signature, secret)) return refuse('signature');
  const claims = decodeSegment(body);
  return claims === null ? refuse('malformed') : judgeTimes(claims, nowMs);
}

function judgeTimes(claims: JwtClaims, nowMs: number): VerifiedJwt {
  const { exp = null, nbf = null } = claims;
  if (!isNumericDate(exp) || !isNumericDate(nbf)) return refuse('malformed');
  if (exp !== null && nowMs >= exp * 1000) return refuse('expired');
  if (nbf !== null && nowMs < nbf * 1000) return refuse('not-yet-valid');
  return { ok: true, claims };
}

function isNumericDate(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isFinite(value));
}

function isSignedBy(text: string, signature: string, secret: string): boolean {
  if (!BASE64URL.test(signature)) return false;
  const given = Buffer.from(signature, 'base64url');
  const expected = mac(text, secret);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function mac(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text, 'utf8').digest();
}

function encodeSegment(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}

function decodeSegment(segment: string): JwtClaims | null {
  if (!BASE64URL.test(segment)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JwtClaims) : null;
  } catch {
    return null;
  }
}

function refuse(reason: Extract<VerifiedJwt, { ok: false }>['reason']): VerifiedJwt {
  return { ok: false, reason };
}
