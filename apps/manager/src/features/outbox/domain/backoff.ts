const BASE_MS = 250;
const CAP_MS = 5_000;

/**
 * Wait before the next attempt: doubling, capped low because a coordinator that returns should find its changes
 * soon, and spread over half of itself so that waiting rows do not come back together.
 * @param random - number in [0, 1)
 */
export function backoffMs(attempts: number, random: number): number {
  const full = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
  return Math.round(full / 2 + (full / 2) * random);
}
