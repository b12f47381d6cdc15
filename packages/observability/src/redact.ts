import { isSecretName } from './secret-names.js';

export const MASK = '[redacted]';

const DEPTH_MAX = 8;

type Fields = Record<string, unknown>;

/**
 * A copy without the values of secret names, at any depth. Objects that hold none are returned as they are, so the
 * common flat event costs one pass over its keys.
 */
export function redactFields(fields: Fields, depth = 0): Fields {
  let copy: Fields | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const redacted = isSecretName(name) ? maskValue(value) : redactValue(value, depth + 1);
    if (redacted !== value) {
      copy ??= { ...fields };
      copy[name] = redacted;
    }
  }
  return copy ?? fields;
}

/** Absent stays absent: whether a secret was there at all is worth knowing. */
function maskValue(value: unknown): unknown {
  return value === undefined || value === null ? value : MASK;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth > DEPTH_MAX) return '[too deep]';
  if (Array.isArray(value)) return redactArray(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return redactFields(value as Fields, depth);
  return value;
}

function redactArray(values: readonly unknown[], depth: number): readonly unknown[] {
  const redacted = values.map((value) => redactValue(value, depth + 1));
  return redacted.some((value, index) => value !== values[index]) ? redacted : values;
}

/** Model API keys, bearer credentials and passwords inside URLs, wherever they got into a text. */
const SECRET_TEXT =
  /\bsk-[A-Za-z0-9_-]{16,}|\b(?:Bearer|BackendAI|Basic) [A-Za-z0-9._~+/=-]{8,}|(:\/\/[^:/@\s"]*:)[^@/\s"]+@/gi;

/** The safety net for texts: error messages and stacks of libraries may repeat what they were given. */
export function scrubText(text: string): string {
  return text.replace(SECRET_TEXT, (_match, urlStart: string | undefined) =>
    urlStart === undefined ? MASK : `${urlStart}${MASK}@`,
  );
}
