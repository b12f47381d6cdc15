import { describe, expect, it } from '@jest/globals';

import { chooseExpiry } from './token-lifetimes.js';

const now = new Date('2026-01-01T00:00:00.500Z');
const lifetimes = { defaultSeconds: 60, maxSeconds: 3_600 };

describe('the end of a token', () => {
  it('is the wanted second, or comes after the default lifetime', () => {
    expect(chooseExpiry('2026-01-01T00:10:00.900Z', lifetimes, now)).toEqual(
      new Date('2026-01-01T00:10:00Z'),
    );
    expect(chooseExpiry(null, lifetimes, now)).toEqual(new Date('2026-01-01T00:01:00Z'));
  });

  it.each([
    ['2026-01-01T00:00:00Z', 'has passed'],
    ['2026-01-01T00:00:00.900Z', 'has passed'],
    ['2026-01-01T01:00:02Z', '3600 seconds'],
  ])('is not %s', (wanted, words) => {
    expect(() => chooseExpiry(wanted, lifetimes, now)).toThrow(words);
  });
});
