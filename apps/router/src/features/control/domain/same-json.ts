/** Deeper values count as different: what nests further than any policy does is not worth a comparison. */
const DEPTH_MAX = 32;

/** Whether two JSON values say the same. Fields may come in any order. */
export function sameJson(left: unknown, right: unknown, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth === DEPTH_MAX || Array.isArray(left) !== Array.isArray(right)) return false;
  const fields = Object.keys(left);
  if (fields.length !== Object.keys(right).length) return false;
  return fields.every(
    (field) =>
      Object.hasOwn(right, field) && sameJson(valueOf(left, field), valueOf(right, field), depth + 1),
  );
}

function valueOf(holder: object, field: string): unknown {
  return (holder as Readonly<Record<string, unknown>>)[field];
}
