import { neverReached, type AttemptFailure } from '@penstock/routing';

/** Methods that mean the same however often they are sent (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

interface Failed {
  readonly failure: AttemptFailure;
  readonly method: string;
  /** Some of the body has been read from the client, and is gone. */
  readonly bodyTaken: boolean;
  /** Attempts so far that reached a replica. */
  readonly attempts: number;
  readonly maxAttempts: number;
}

/** Whether a request can be sent twice at all. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/**
 * Whether a request that got no head may go to another replica: one that no replica has seen always may, another one
 * only when it means the same sent twice.
 */
export function mayRepeat({ failure, method, bodyTaken, attempts, maxAttempts }: Failed): boolean {
  if (bodyTaken) return false;
  return neverReached(failure) || (isIdempotent(method) && attempts < maxAttempts);
}
