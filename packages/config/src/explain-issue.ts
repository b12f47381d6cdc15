import type { z } from 'zod';

import { didYouMean } from './nearest-name.js';

type Issue = z.core.$ZodIssue;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
};

/**
 * What is wrong with a value, as the rest of a sentence that starts with its key.
 * @param value - the value as given, or undefined; `secret` keeps it out of the sentence
 */
export function explainIssue(issue: Issue, value: unknown, secret: boolean): string {
  const given = secret || value === undefined ? '' : `, but is ${shown(value)}`;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}${given}`;
    case 'too_small':
      return `must be ${sizeWords(issue.origin, 'at least', issue.minimum, issue.inclusive)}${given}`;
    case 'too_big':
      return `must be ${sizeWords(issue.origin, 'at most', issue.maximum, issue.inclusive)}${given}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}${given}${typeof value === 'string' && !secret ? didYouMean(value, issue.values.map(String)) : ''}`;
    case 'invalid_format':
      return `must be ${formatWords(issue)}${given}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}${given}`;
    case 'invalid_union':
      return explainUnion(issue, secret) + given;
    case 'custom':
      return issue.message;
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
      return issue.message;
  }
}

function sizeWords(origin: string, bound: string, limit: number | bigint, inclusive = true): string {
  const exact = inclusive ? bound : bound === 'at least' ? 'more than' : 'less than';
  if (origin === 'string')
    return limit === 1 && bound === 'at least' ? 'not empty' : `${exact} ${limit} characters long`;
  if (origin === 'array' || origin === 'set') return `${exact} ${limit} entries long`;
  return `${exact} ${limit}`;
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const names = values.map(String);
  return names.length === 1 ? (names[0] ?? '') : `one of ${names.join(', ')}`;
}

function formatWords(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (issue.format === 'regex') return `text that matches ${issue.pattern ?? 'the pattern'}`;
  if (issue.format === 'url') return 'a URL such as http://127.0.0.1:10200';
  return `a valid ${issue.format}`;
}

/** The first complaint of each form, without repeats. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion, secret: boolean): string {
  const reasons = issue.errors.flatMap(([first]) => (first ? [explainIssue(first, undefined, secret)] : []));
  const unique = [...new Set(reasons)].map((reason) => reason.replace(/^must be /, ''));
  return unique.length === 0 ? issue.message : `must be ${unique.join(', or ')}`;
}

const SHOWN_LENGTH_MAX = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}…`;
}
