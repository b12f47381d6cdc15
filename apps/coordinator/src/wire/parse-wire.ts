import { WireError, wireIssues } from '@penstock/protocol';
import type { z } from 'zod';

/** Bodies of any type arrive here; an absent one counts as an empty object, as every peer expects. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  return parseWire(schema, isAbsent(body) ? {} : body);
}

/** @throws WireError 400 with the refused fields */
export function parseWire<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: readonly string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error, at);
}

/** The 400 of a failed parse. `at` is the place of the parsed value in the request. */
export function refuse(error: z.ZodError, at: readonly string[] = []): WireError {
  return WireError.invalidApiParams(
    wireIssues(error).map((issue) => ({ ...issue, loc: [...at, ...issue.loc] })),
  );
}

function isAbsent(body: unknown): boolean {
  return body === undefined || body === null || body === '' || (Buffer.isBuffer(body) && body.length === 0);
}
