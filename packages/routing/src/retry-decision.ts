import type { HealthSignal } from './replica-health.js';

/** Why an attempt ended without a usable answer. */
export type AttemptFailure =
  /** No connection: refused, unreachable, not resolvable, connect timeout. The replica never saw the request. */
  | 'connect'
  /** The replica's address lies outside the networks the operator allows. */
  | 'forbidden_address'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The head did not come in time. */
  | 'headers_timeout'
  /** Silence inside the answer. */
  | 'idle_timeout'
  /** What came was not HTTP. */
  | 'malformed';

/** What the walk over the replicas knows when an attempt has failed. */
export interface RetrySituation {
  /** A content event or a body byte has gone out: the client has part of an answer. */
  readonly contentSent: boolean;
  /** The whole request body is still in memory. */
  readonly bodyHeld: boolean;
  /** Attempts so far that reached a replica, this one included. */
  readonly attempts: number;
  readonly maxAttempts: number;
}

/**
 * Whether another replica may be tried. Connection failures never spend the budget: the walk past dead replicas is
 * bounded by their number, the budget bounds how often a request may be executed.
 */
export function mayRetry(situation: RetrySituation): boolean {
  return !situation.contentSent && situation.bodyHeld && situation.attempts < situation.maxAttempts;
}

/** Overload, a broken hop, a dead engine: another replica may do better. Any other status is a verdict on the request. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

/** True when the replica cannot have seen the request. */
export function neverReached(failure: AttemptFailure): boolean {
  return failure === 'connect' || failure === 'forbidden_address';
}

export function signalOfFailure(failure: AttemptFailure): HealthSignal {
  return neverReached(failure) ? 'unreachable' : 'failure';
}

/** 429 is back-pressure, not illness: ejecting a busy replica would push its load onto the others. */
export function signalOfStatus(status: number): HealthSignal {
  if (status === 429) return 'neutral';
  return RETRYABLE_STATUSES.has(status) ? 'failure' : 'success';
}
