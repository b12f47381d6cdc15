const RETRY_BASE_MS = 500;
const RETRY_CAP_MS = 60_000;
/** Attempts that fit between the planned rotation and the end of the old token, at the least. */
const ATTEMPTS_IN_OVERLAP = 10;

export interface TokenTimes {
  readonly expiresAt: Date;
  readonly nextRotationAt: Date;
}

/**
 * A token lives for two intervals and is replaced after one: whoever reads it again within an interval never holds a
 * dead one, and the coordinator may be away for an interval before anybody notices.
 * The expiry is a whole second, as claims are, and never sooner than two intervals.
 */
export function timesOf(issuedAt: Date, intervalSeconds: number): TokenTimes {
  const issuedMs = issuedAt.getTime();
  const intervalMs = intervalSeconds * 1_000;
  return {
    expiresAt: new Date(Math.ceil((issuedMs + 2 * intervalMs) / 1_000) * 1_000),
    nextRotationAt: new Date(issuedMs + intervalMs),
  };
}

/**
 * Wait after a failed attempt: doubling, capped so that several attempts fit into the overlap, and spread over half
 * of itself.
 * @param attempts - failed ones so far, 1 or more
 * @param random - number in [0, 1)
 */
export function retryDelayMs(attempts: number, intervalSeconds: number, random: number): number {
  const cap = Math.min(RETRY_CAP_MS, (intervalSeconds * 1_000) / ATTEMPTS_IN_OVERLAP);
  const full = Math.min(cap, RETRY_BASE_MS * 2 ** Math.min(attempts - 1, 20));
  return Math.round(full / 2 + (full / 2) * random);
}

export type TokenState = 'missing' | 'current' | 'expiring' | 'expired';

/** `expiring`: less than half an interval is left, so half the overlap went by without a new token. */
export function stateOf(expiresAt: Date | null, intervalSeconds: number, now: Date): TokenState {
  if (expiresAt === null) return 'missing';
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return 'expired';
  return leftMs < intervalSeconds * 500 ? 'expiring' : 'current';
}
