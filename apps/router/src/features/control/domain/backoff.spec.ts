import { expect, it } from '@jest/globals';
import { backoffMs, jitteredMs } from './backoff.js';

const RULES = { minMs: 100, maxMs: 1_000 };

it('doubles up to its bound, half of it by chance', () => {
  expect([1, 2, 3, 4, 5, 100].map((failures) => backoffMs(failures, RULES, 0))).toEqual([
    50, 100, 200, 400, 500, 500,
  ]);
  expect(backoffMs(1, RULES, 0.999)).toBeCloseTo(100, 0);
  expect(backoffMs(100, RULES, 0.999)).toBeLessThanOrEqual(1_000);
});

it('spreads a period without ever exceeding it', () => {
  expect(jitteredMs(1_000, 0)).toBe(800);
  expect(jitteredMs(1_000, 0.999)).toBeLessThanOrEqual(1_000);
});
