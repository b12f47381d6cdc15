import { describe, expect, it } from '@jest/globals';

import { timeToLive } from './time-to-live.js';

describe('timeToLive', () => {
  it('counts down for interactive apps and says nothing of inference', () => {
    expect(timeToLive({ app_mode: 'interactive' }, 10_000, 60_000, 20_000)).toBe(50);
    expect(timeToLive({ app_mode: 'interactive' }, 10_000, 60_000, 75_500)).toBe(-5);
    expect(timeToLive({ app_mode: 'inference' }, 10_000, 60_000, 20_000)).toBeNull();
  });
});
