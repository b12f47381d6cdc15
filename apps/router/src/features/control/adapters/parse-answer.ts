import type { z } from 'zod';
import { CoordinatorError } from '../coordinator-client.port.js';

const ISSUES_SHOWN_MAX = 5;

/**
 * Validates what a coordinator sent.
 * @param path - where in the answer `value` is
 * @throws CoordinatorError `unreadable`, which says only where and what is wrong: the values may be key hashes
 */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  path: readonly PropertyKey[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, ISSUES_SHOWN_MAX)
    .map((issue) => `${[...path, ...issue.path].join('.')}: ${issue.message}`);
  throw new CoordinatorError('unreadable', `${what} does not validate: ${issues.join('; ')}`);
}

/** Undefined when it is no JSON, which no schema takes. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
