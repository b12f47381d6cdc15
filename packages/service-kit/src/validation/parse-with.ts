import type { z } from 'zod';

import { nameMissing } from './name-missing.js';
import { RequestInvalidError, type RequestPart } from './request-invalid.error.js';

/**
 * Parses a part of a request. An absent body counts as `{}`, so that the caller learns which fields are missing.
 * @throws RequestInvalidError, which becomes a 400 with field-level errors
 */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown, part: RequestPart): z.output<S> {
  const result = schema.safeParse(value ?? {});
  if (!result.success) throw new RequestInvalidError(part, nameMissing(result.error, value));
  return result.data;
}
