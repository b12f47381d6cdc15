import { readFileSync } from 'node:fs';

const FIXTURES = new URL('../../../../packages/protocol/fixtures/', import.meta.url);

/** A conformance fixture as parsed JSON. */
export function loadVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8')) as T;
}

/** Names and values of a vector that a live service has of its own: id of the vector -> id of this run. */
export type Placeholders = Readonly<Record<string, string>>;

/** Replaces whole strings and parts of strings, in any depth. */
export function withPlaceholders<T>(value: T, placeholders: Placeholders): T {
  let text = JSON.stringify(value);
  for (const [from, to] of Object.entries(placeholders)) text = text.replaceAll(from, to);
  return JSON.parse(text) as T;
}

const GENERATED = new Set([
  'id',
  'created_at',
  'updated_at',
  'waited_ms',
  'registered_at',
  'last_seen',
  'worker',
]);

/** Values that differ from run to run become their type; revisions are compared by the test that knows them. */
export function withoutGenerated(value: unknown, also: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutGenerated(item, also));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      GENERATED.has(key) || also.includes(key)
        ? [key, `<${typeof inner}>`]
        : [key, withoutGenerated(inner, also)],
    ),
  );
}
