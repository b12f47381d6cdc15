import { z } from 'zod';

/**
 * Zod calls an absent value of an enumeration or a union a wrong value. Callers learn more from "missing", so such
 * issues become what an absent text or number gets.
 */
export function nameMissing(error: z.ZodError, input: unknown): z.ZodError {
  return new z.ZodError(error.issues.map((issue) => (isAbsent(issue, input) ? missing(issue) : issue)));
}

function isAbsent(issue: z.core.$ZodIssue, input: unknown): boolean {
  const isChoice = issue.code === 'invalid_value' || issue.code === 'invalid_union';
  return isChoice && issue.path.length > 0 && valueAt(input, issue.path) === undefined;
}

function missing(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return {
    code: 'invalid_type',
    expected: 'string',
    path: issue.path,
    message: 'Invalid input: expected a value, received undefined',
  };
}

/** Issues name fields in snake_case; the input may have spelt them in kebab-case. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const fields = value as Record<string, unknown>;
    return fields[String(key)] ?? fields[String(key).replaceAll('_', '-')];
  }, input);
}
