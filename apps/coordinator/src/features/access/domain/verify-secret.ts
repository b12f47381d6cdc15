import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Credentials {
  /** `X-BackendAI-Token`; an empty value counts as absent. */
  readonly token: string | undefined;
  readonly authorization: string | undefined;
}

export type Verdict = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly message: string };

const ACCEPTED: Verdict = { kind: 'accepted' };
const UNAUTHORIZED: Verdict = { kind: 'refused', message: 'Unauthorized access' };

/**
 * The control plane's one credential: the secret itself, or a JWT signed with it.
 * A wrong token header is not rescued by a good Authorization header; peers rely on that order.
 */
export function verifyCredentials(credentials: Credentials, secret: string, nowSeconds: number): Verdict {
  if (credentials.token) return verifyToken(credentials.token, secret);
  if (!credentials.authorization) return UNAUTHORIZED;
  const [scheme = '', jwt = ''] = credentials.authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() !== 'bearer') {
    return { kind: 'refused', message: `Unsupported authorization method ${scheme.slice(0, 64)}` };
  }
  return isSignedBy(jwt, secret, nowSeconds) ? ACCEPTED : UNAUTHORIZED;
}

function verifyToken(token: string, secret: string): Verdict {
  const candidates = [secret, `Bearer ${secret}`, `BackendAI ${secret}`];
  // No early exit: the time taken must not tell which form came close.
  const matches = candidates.filter((candidate) => equalsInConstantTime(token, candidate));
  return matches.length > 0 ? ACCEPTED : UNAUTHORIZED;
}

/** HS256 only; any claims; `exp` counts when it is there. */
function isSignedBy(jwt: string, secret: string, nowSeconds: number): boolean {
  const [header, payload, signature, ...rest] = jwt.split('.');
  if (!header || !payload || !signature || rest.length > 0) return false;
  if (decodePart(header)?.alg !== 'HS256') return false;
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  if (!equalsInConstantTime(signature, expected)) return false;
  const claims = decodePart(payload);
  if (!claims) return false;
  return claims.exp === undefined || (typeof claims.exp === 'number' && claims.exp > nowSeconds);
}

function decodePart(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Both sides are hashed first, so that neither length nor content shows in the time taken. */
function equalsInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
