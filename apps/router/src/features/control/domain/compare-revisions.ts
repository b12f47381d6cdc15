const DECIMAL = /^\d{1,64}$/;

/**
 * Tells which of two revisions is newer. Revisions are opaque on the wire; only when both are decimal numbers, as our
 * coordinators write them, is there an order.
 * @returns negative, zero or positive; null when the two cannot be compared
 */
export function compareRevisions(
  left: string | null | undefined,
  right: string | null | undefined,
): number | null {
  if (left == null || right == null || !DECIMAL.test(left) || !DECIMAL.test(right)) return null;
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** True only when `revision` is known to lie at or before `base`. */
export function isContainedIn(revision: string | null | undefined, base: string | null | undefined): boolean {
  const order = compareRevisions(revision, base);
  return order !== null && order <= 0;
}

/** True only when `revision` is the number right after `base`. */
export function isNextRevision(base: string | null, revision: string | null | undefined): revision is string {
  if (base === null || revision == null || !DECIMAL.test(base) || !DECIMAL.test(revision)) return false;
  return BigInt(revision) === BigInt(base) + 1n;
}
