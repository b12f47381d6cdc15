import { describe, expect, it } from '@jest/globals';

import { median, ratioPerRound } from './statistics.ts';

describe('median', () => {
  it('is the middle of odd counts and the mean of the middle two of even ones', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 9, 5, 3])).toBe(4);
    expect(median([])).toBeNaN();
  });
});

describe('ratioPerRound', () => {
  it('compares within rounds, so that a slow machine in one round does not move the ratio', () => {
    expect(ratioPerRound([200, 20, 210], [100, 10, 100])).toEqual({ median: 2, min: 2, max: 2.1 });
  });

  it('leaves out rounds that lack a value and says null when none is left', () => {
    expect(ratioPerRound([200, null], [100, 10])?.median).toBe(2);
    expect(ratioPerRound([null], [1])).toBeNull();
  });
});
