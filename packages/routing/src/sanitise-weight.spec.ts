import { describe, expect, it } from '@jest/globals';
import { pickWeighted } from './pick-weighted.js';
import { sanitiseWeight } from './sanitise-weight.js';

describe('sanitiseWeight', () => {
  it.each([
    [1, 1],
    [0.5, 0.5],
    [Number.MIN_VALUE, Number.MIN_VALUE],
    [0, 0],
    [-1, 0],
    [NaN, 0],
    [Infinity, 0],
    ['1', 0],
    [null, 0],
    [undefined, 0],
  ])('makes of %p: %p', (weight, expected) => {
    expect(sanitiseWeight(weight)).toBe(expected);
  });

  it('keeps the largest numbers apart from each other in a draw', () => {
    const weights = Array(4).fill(Number.MAX_VALUE).map(sanitiseWeight);
    expect([0, 0.3, 0.6, 0.9].map((random) => pickWeighted(weights, random))).toEqual([0, 1, 2, 3]);
  });
});
