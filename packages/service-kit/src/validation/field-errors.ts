import type { FieldError } from '@penstock/protocol';
import type { z } from 'zod';

import type { RequestInvalidError } from './request-invalid.error.js';

/** What is wrong, field by field, in words for the caller. Fields are dotted paths: `replicas.0.port`. */
export function fieldErrors(error: RequestInvalidError): FieldError[] {
  return error.cause.issues.flatMap((issue) => issueErrors(issue, issue.path, error.part));
}

function issueErrors(issue: z.core.$ZodIssue, path: readonly PropertyKey[], part: string): FieldError[] {
  const field = path.length === 0 ? part : path.map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        field: [...path, key].map(String).join('.'),
        message: 'is not a known field',
      }));
    case 'invalid_type':
      return [{ field, message: isMissing(issue) ? 'is required' : issue.message }];
    case 'invalid_union':
      return unionErrors(issue, path, part, field);
    default:
      return [{ field, message: issue.message }];
  }
}

/** The form that came closest speaks for the union: the one with the fewest complaints. */
function unionErrors(
  issue: z.core.$ZodIssueInvalidUnion,
  path: readonly PropertyKey[],
  part: string,
  field: string,
): FieldError[] {
  const [closest] = [...issue.errors].sort((a, b) => a.length - b.length);
  if (closest === undefined) return [{ field, message: issue.message }];
  return closest.flatMap((inner) => issueErrors(inner, [...path, ...inner.path], part));
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.message.endsWith('received undefined');
}
