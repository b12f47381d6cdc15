/** What a configuration file is made of before it is validated. */
export type PlainObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as PlainObject)[String(key)] : undefined,
    root,
  );
}

/** Sets a value, making the objects on the way; anything there that is no object is replaced. */
export function setAt(root: PlainObject, path: readonly string[], value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let current = root;
  for (const key of path.slice(0, -1)) {
    const next = current[key];
    const child: PlainObject = isPlainObject(next) ? next : {};
    current[key] = child;
    current = child;
  }
  current[last] = value;
}
