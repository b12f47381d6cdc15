import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { fieldErrors } from './field-errors.js';
import { parseWith } from './parse-with.js';
import { RequestInvalidError } from './request-invalid.error.js';

function errorsOf(schema: z.ZodType, value: unknown): unknown {
  try {
    return parseWith(schema, value, 'body');
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
    return fieldErrors(error);
  }
}

describe('parseWith', () => {
  const schema = z.object({
    name: z.string(),
    mode: z.enum(['a', 'b']),
    target_host: z.union([z.string(), z.number()]),
  });

  it('calls every absent field missing, whatever its type', () => {
    expect(errorsOf(schema, undefined)).toEqual([
      { field: 'name', message: 'is required' },
      { field: 'mode', message: 'is required' },
      { field: 'target_host', message: 'is required' },
    ]);
  });

  it('does not call a field missing that is there with a wrong value, in either spelling', () => {
    const kebab = z.preprocess((value) => ({ ...(value as object), target_host: [] }), schema);
    const errors = errorsOf(kebab, { name: 'x', mode: 'c', 'target-host': [] });
    expect(JSON.stringify(errors)).not.toContain('is required');
  });

  it('lets the closest form of a union speak', () => {
    const union = z.object({
      check: z.union([
        z.strictObject({ kind: z.literal('http'), path: z.string() }),
        z.strictObject({ kind: z.literal('tcp'), port: z.number(), host: z.string() }),
      ]),
    });
    expect(errorsOf(union, { check: { kind: 'http' } })).toEqual([
      { field: 'check.path', message: 'is required' },
    ]);
  });

  it('reports a value that is no object at all under the part of the request', () => {
    expect(errorsOf(schema, [])).toEqual([
      { field: 'body', message: expect.stringContaining('expected object') },
    ]);
  });
});
