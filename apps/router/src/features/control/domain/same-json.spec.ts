import { expect, it } from '@jest/globals';
import { sameJson } from './same-json.js';

it.each([
  [
    { a: 1, b: [true, null, 'x'] },
    { b: [true, null, 'x'], a: 1 },
  ],
  [[], []],
  [null, null],
])('%j says the same as %j', (left, right) => {
  expect(sameJson(left, right)).toBe(true);
});

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: null }, {}],
  [{ a: 1 }, { a: 1, b: 1 }],
  [
    ['a', 'b'],
    ['b', 'a'],
  ],
  [[], {}],
  [{ 0: 'a' }, ['a']],
  [1, '1'],
  [null, {}],
  [{ toString: 1 }, { a: 1 }],
  [JSON.parse('{"__proto__":1}'), { a: 1 }],
])('%j does not say the same as %j', (left, right) => {
  expect(sameJson(left, right)).toBe(false);
  expect(sameJson(right, left)).toBe(false);
});

it('does not follow values as deep as no policy is', () => {
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect(sameJson(deep(10), deep(10))).toBe(true);
  expect(sameJson(deep(100_000), deep(100_000))).toBe(false);
});
