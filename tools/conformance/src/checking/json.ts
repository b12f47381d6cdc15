/** A JSON value, as it came over the wire. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** The parsed text, or `undefined` when it is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path like `endpoints.0.url`; `undefined` when there is none. */
export function at(value: Json | undefined, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path.split('.')) current = child(current, step);
  return current;
}

/** The text at a path; empty when there is none. */
export function textAt(value: Json | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** The list at a path; empty when there is none. */
export function listAt(value: Json | undefined, path: string): Json[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

/** Sets the value at a path; `*` stands for every element. Paths that do not exist are left alone. */
export function put(value: Json | undefined, path: string, replacement: Json): void {
  const [step, ...rest] = path.split('.');
  if (step === undefined || value === undefined) return;
  for (const key of step === '*' ? keysOf(value) : [step]) {
    if (rest.length > 0) put(child(value, key), rest.join('.'), replacement);
    else if (Array.isArray(value)) value[Number(key)] = replacement;
    else if (isObject(value)) value[key] = replacement;
  }
}

/** A copy that shares nothing with the original. */
export function copy<T extends Json>(value: T): T {
  return structuredClone(value);
}

function child(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : undefined;
}

function keysOf(value: Json): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
