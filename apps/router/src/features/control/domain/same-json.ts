/** Deeper values count as different: what nests further than any policy does is not worth a comparison. */
const DEPTH_MAX = 32;

/** Whether two JSON values say the same. Fields may come in any order. Plain loops: pulls compare every entity. */
export function sameJson(left: unknown, right: unknown, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth === DEPTH_MAX || Array.isArray(left) !== Array.isArray(right)) return false;
  if (Array.isArray(left)) return sameItems(left, right as readonly unknown[], depth);
  return sameFields(left as Fields, right as Fields, depth);
}

type Fields = Readonly<Record<string, unknown>>;

function sameItems(left: readonly unknown[], right: readonly unknown[], depth: number): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) {
    if (!sameJson(left[at], right[at], depth + 1)) return false;
  }
  return true;
}

function sameFields(left: Fields, right: Fields, depth: number): boolean {
  const fields = Object.keys(left);
  if (fields.length !== Object.keys(right).length) return false;
  for (const field of fields) {
    if (!Object.hasOwn(right, field) || !sameJson(left[field], right[field], depth + 1)) return false;
  }
  return true;
}
