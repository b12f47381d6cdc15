/** So far below the largest number that no sum of weights overflows, which would send everything to the last of them. */
const WEIGHT_MAX = 1e100;

/**
 * The one rule for a weight from the wire, at every level: what is not a finite positive number counts as 0, which
 * drains. A bad value then costs its owner traffic instead of taking it from its siblings.
 */
export function sanitiseWeight(weight: unknown): number {
  if (typeof weight !== 'number' || !Number.isFinite(weight) || weight <= 0) return 0;
  return Math.min(weight, WEIGHT_MAX);
}
