/** Bounds of a growing wait, in milliseconds. */
export interface BackoffRules {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Wait before the next attempt: doubles with each failure, and half of it is chance, so that the nodes of a fleet
 * which lost their coordinator together do not come back together.
 * @param failures - failures in a row, at least 1
 * @param random - a number in [0, 1)
 */
export function backoffMs(failures: number, rules: BackoffRules, random: number): number {
  const fullMs = Math.min(rules.maxMs, rules.minMs * 2 ** Math.min(failures - 1, 30));
  return fullMs / 2 + (fullMs / 2) * random;
}

/**
 * A period shortened by up to a fifth, so that periodic work of many nodes spreads out. Never longer: operators read the
 * reconcile interval as the longest a change can take.
 */
export function jitteredMs(periodMs: number, random: number): number {
  return periodMs * (0.8 + 0.2 * random);
}
