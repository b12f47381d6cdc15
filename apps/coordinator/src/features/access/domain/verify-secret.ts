import { createHmac, timingSafeEqual } from 'node:crypto';

import { verifyHs256 } from '@penstock/protocol';

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
export function verifyCredentials(credentials: Credentials, secret: string, nowMs: number): Verdict {
  if (credentials.token) return verifyToken(credentials.token, secret);
  if (!credentials.authorization) return UNAUTHORIZED;
  const [scheme = '', jwt = ''] = credentials.authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() !== 'bearer') {
    return { kind: 'refused', message: `Unsupported authorization method ${scheme.slice(0, 64)}` };
  }
  return verifyHs256(jwt, secret, nowMs).ok ? ACCEPTED : UNAUTHORIZED;
}

/** The secret alone, in no other form: what the call that hands over an interactive app takes. */
export function isBareSecret(token: string | undefined, secret: string): boolean {
  return token !== undefined && equalsInConstantTime(token, secret);
}

function verifyToken(token: string, secret: string): Verdict {
  const candidates = [secret, `Bearer ${secret}`, `BackendAI ${secret}`];
  // No early exit: the time taken must not tell which form came close.
  const matches = candidates.filter((candidate) => equalsInConstantTime(token, candidate));
  return matches.length > 0 ? ACCEPTED : UNAUTHORIZED;
}

/** Both sides are hashed first, so that neither length nor content shows in the time taken. */
function equalsInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
