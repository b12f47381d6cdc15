import { describe, expect, it } from '@jest/globals';
import { aUuid, absent, aTimestamp, type Expected, expectMatch, matching } from './expect.js';
import type { Json } from './json.js';

const difference = (actual: Json, expected: Expected): string => {
  try {
    expectMatch(actual, expected, 'it');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a comparison', () => {
  it.each<[Json, Expected]>([
    [{ a: 1, more: true }, { a: 1 }],
    [{ list: [{ a: 1, b: 2 }] }, { list: [{ a: 1 }] }],
    [{ at: '2026-01-01T00:00:00.5Z' }, { at: aTimestamp, gone: absent }],
    ['0f6b1d9a-3c44-4e0b-9a57-b1d2c3e4f501', aUuid],
    ['x-1', matching(/^x-\d$/)],
  ])('%j is %j', (actual, expected) => expect(difference(actual, expected)).toBe(''));

  it.each<[Json, Expected, string]>([
    [{ a: { b: 2 } }, { a: { b: 1 } }, 'it: /a/b should be 1 but is 2'],
    [{ list: [1, 2] }, { list: [1] }, 'it: /list should be a list of 1 but is [1,2]'],
    [{}, { a: null }, 'it: /a should be null but is nothing'],
    [{ a: 1 }, { a: absent }, 'it: /a should be no such key but is 1'],
    ['text', { a: 1 }, 'it: the body should be an object but is "text"'],
  ])('%j is not %j, and it tells where', (actual, expected, message) =>
    expect(difference(actual, expected)).toBe(message),
  );
});
