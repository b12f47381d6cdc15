import type { Answer } from './answer.js';
import { isObject, type Json } from './json.js';

/** What a check found instead of what it demands; the message is the `detail` of the report. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/** Why a check cannot be run here; the message is the `detail` of the report. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** A demand on one value. Its name is what the report says was wanted. */
export interface Demand {
  readonly wanted: string;
  readonly holds: (value: Json | undefined) => boolean;
}

/** A JSON value in which any part may be a demand. Objects may carry more keys than are named. */
export type Expected =
  null | boolean | number | string | Demand | readonly Expected[] | { readonly [key: string]: Expected };

export const demand = (wanted: string, holds: Demand['holds']): Demand => ({ wanted, holds });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export const aUuid = demand('a lower-case UUID', (v) => typeof v === 'string' && UUID.test(v));
export const aTimestamp = demand(
  'an RFC 3339 time with zone',
  (v) => typeof v === 'string' && TIMESTAMP.test(v),
);
export const aText = demand('a non-empty text', (v) => typeof v === 'string' && v !== '');
export const aNumber = demand('a number', (v) => typeof v === 'number');
export const absent = demand('no such key', (v) => v === undefined);
export const matching = (pattern: RegExp): Demand =>
  demand(`text like ${String(pattern)}`, (v) => typeof v === 'string' && pattern.test(v));

/** @throws CheckFailed with `explanation` unless the condition holds. */
export function insist(condition: boolean, explanation: string): asserts condition {
  if (!condition) throw new CheckFailed(explanation);
}

/** @throws CheckFailed naming the first place where `actual` is not what is expected. */
export function expectMatch(actual: Json | undefined, expected: Expected, what: string): void {
  const difference = firstDifference(actual, expected, '');
  if (difference) throw new CheckFailed(`${what}: ${difference}`);
}

/** @throws CheckFailed unless the answer has this status. */
export function expectStatus(answer: Answer, status: number): void {
  if (answer.status === status) return;
  throw new CheckFailed(
    `${answer.request}: ${status} expected, got ${answer.status} ${excerpt(answer.text)}`,
  );
}

/** @throws CheckFailed unless the answer has this status and a JSON body that matches. */
export function expectAnswer(answer: Answer, status: number, body: Expected): void {
  expectStatus(answer, status);
  expectMatch(answer.json, body, answer.request);
}

function firstDifference(actual: Json | undefined, expected: Expected, path: string): string | undefined {
  if (isDemand(expected)) return expected.holds(actual) ? undefined : differs(actual, expected.wanted, path);
  if (Array.isArray(expected)) return listDifference(actual, expected, path);
  if (isExpectedObject(expected)) return objectDifference(actual, expected, path);
  return Object.is(actual, expected) ? undefined : differs(actual, JSON.stringify(expected), path);
}

function listDifference(actual: Json | undefined, expected: readonly Expected[], path: string) {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return differs(actual, `a list of ${expected.length}`, path);
  return first(expected, (part, index) => firstDifference(actual[index], part, `${path}/${index}`));
}

function objectDifference(actual: Json | undefined, expected: { [key: string]: Expected }, path: string) {
  if (!isObject(actual)) return differs(actual, 'an object', path);
  return first(Object.entries(expected), ([key, part]) =>
    firstDifference(actual[key], part, `${path}/${key}`),
  );
}

function first<T>(items: readonly T[], find: (item: T, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differs(actual: Json | undefined, wanted: string, path: string): string {
  const found = actual === undefined ? 'nothing' : excerpt(JSON.stringify(actual));
  return `${path || 'the body'} should be ${wanted} but is ${found}`;
}

function isDemand(expected: Expected): expected is Demand {
  return isExpectedObject(expected) && typeof expected['holds'] === 'function';
}

function isExpectedObject(expected: Expected): expected is { [key: string]: Expected } {
  return typeof expected === 'object' && expected !== null && !Array.isArray(expected);
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
