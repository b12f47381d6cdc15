import { describe, expect, it } from '@jest/globals';

import { backoffMs } from './backoff.js';

describe('backoffMs', () => {
  it('doubles up to a cap that lets a returning coordinator catch up soon', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map((attempt) => backoffMs(attempt, 1))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
  });

  it('spreads waits over half of themselves', () => {
    expect(backoffMs(3, 0)).toBe(500);
    expect(backoffMs(3, 0.5)).toBe(750);
  });
});
