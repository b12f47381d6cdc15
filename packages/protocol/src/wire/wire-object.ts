import { z } from 'zod';

interface WireObjectOptions {
  /** Canonical field -> other names it may arrive under, best first. The canonical spellings always win. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Optional fields whose null means "not there": they are dropped, so that peers unaware of them see the bytes they know. */
  readonly omitNull?: readonly string[];
}

/**
 * An object as peers send it: every snake_case field may come in kebab-case (which wins when both are there, as in
 * the Python alias order), unknown fields are dropped, and the result has its keys in the order of `shape`.
 */
export function wireObject<Shape extends z.ZodRawShape>(shape: Shape, options: WireObjectOptions = {}) {
  const spellings = Object.keys(shape).map((field) => ({
    field,
    names: [field.replaceAll('_', '-'), field, ...(options.aliases?.[field] ?? [])],
    dropNull: options.omitNull?.includes(field) ?? false,
  }));
  return z.preprocess((input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
    const source = input as Readonly<Record<string, unknown>>;
    const known: Record<string, unknown> = {};
    for (const { field, names, dropNull } of spellings) {
      const name = names.find(
        (candidate) => Object.hasOwn(source, candidate) && source[candidate] !== undefined,
      );
      if (name === undefined || (dropNull && source[name] === null)) continue;
      known[field] = source[name];
    }
    return known;
  }, z.object(shape));
}

/** Copies without the named fields where they are null or undefined. */
export function withoutNulls<T extends object>(value: T, fields: readonly (keyof T)[]): T {
  const copy = { ...value };
  for (const field of fields) if (copy[field] == null) delete copy[field];
  return copy;
}
