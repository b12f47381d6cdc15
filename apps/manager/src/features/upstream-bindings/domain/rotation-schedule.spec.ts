import { describe, expect, it } from '@jest/globals';

import { retryDelayMs, stateOf, timesOf } from './rotation-schedule.js';

const issued = new Date('2026-01-01T00:00:00.250Z');

describe('the times of a token', () => {
  it('let the old one live for a whole interval after the new one was made', () => {
    const { expiresAt, nextRotationAt } = timesOf(issued, 60);
    expect(nextRotationAt).toEqual(new Date('2026-01-01T00:01:00.250Z'));
    expect(expiresAt).toEqual(new Date('2026-01-01T00:02:01Z'));
    expect(expiresAt.getTime() - nextRotationAt.getTime()).toBeGreaterThanOrEqual(60_000);
  });
});

describe('the wait after a failure', () => {
  it('doubles from half a second up to a tenth of the interval', () => {
    const waits = [1, 2, 3, 4, 5, 50].map((attempts) => retryDelayMs(attempts, 40, 1));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it('is a minute at most, and never less than half of what it may be', () => {
    expect(retryDelayMs(30, 86_400, 1)).toBe(60_000);
    expect(retryDelayMs(30, 86_400, 0)).toBe(30_000);
  });
});

describe('the state of a token', () => {
  it.each([
    [null, 'missing'],
    ['2026-01-01T00:00:30Z', 'current'],
    ['2026-01-01T00:00:29Z', 'expiring'],
    ['2026-01-01T00:00:00Z', 'expired'],
  ] as const)('that ends at %s is %s', (end, state) => {
    const now = new Date('2026-01-01T00:00:00Z');
    expect(stateOf(end === null ? null : new Date(end), 60, now)).toBe(state);
  });
});
