/**
 * The one rule for a weight from the wire, at every level: what is not a finite positive number counts as 0, which
 * drains. A bad value then costs its owner traffic instead of taking it from its siblings.
 */
export function sanitiseWeight(weight: unknown): number {
  return typeof weight === 'number' && Number.isFinite(weight) && weight > 0 ? weight : 0;
}
