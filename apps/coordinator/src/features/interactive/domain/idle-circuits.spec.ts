import { describe, expect, it } from '@jest/globals';

import { IdleCircuits } from './idle-circuits.js';

const TIMEOUT = 1_000;
const at = (openedMs: number, lastAccessMs: number | null, id = 'c') => ({
  id,
  openedAt: new Date(openedMs),
  lastAccessMs,
});

describe('IdleCircuits', () => {
  it('names a circuit whose last request is longer ago than the timeout', () => {
    const idle = new IdleCircuits(TIMEOUT);
    expect(idle.among([at(0, 5_000)], 6_000)).toEqual([]);
    expect(idle.among([at(0, 5_000)], 6_001)).toHaveLength(1);
  });

  it('counts a user sent there anew as use', () => {
    expect(new IdleCircuits(TIMEOUT).among([at(5_500, 1_000)], 6_001)).toEqual([]);
  });

  it('names one that never saw a request, the timeout after it was noticed', () => {
    const idle = new IdleCircuits(TIMEOUT);
    expect(idle.among([at(0, null)], 10)).toEqual([]);
    expect(idle.among([at(0, null)], 1_010)).toEqual([]);
    expect(idle.among([at(0, null)], 1_011)).toHaveLength(1);
  });

  it('gives a used circuit the whole time again when its notes are lost', () => {
    const idle = new IdleCircuits(TIMEOUT);
    idle.among([at(0, 50_000)], 50_100);
    expect(idle.among([at(0, null)], 50_200)).toEqual([]);
    expect(idle.among([at(0, null)], 51_201)).toHaveLength(1);
  });

  it('starts over with a circuit that was gone in between', () => {
    const idle = new IdleCircuits(TIMEOUT);
    idle.among([at(0, null)], 0);
    idle.among([], 500);
    expect(idle.among([at(0, null)], 1_100)).toEqual([]);
  });
});
