import { describe, expect, it } from '@jest/globals';

import { parseStat } from './process-cpu.ts';

describe('parseStat', () => {
  it('reads parent, user and system time behind a name with brackets and spaces', () => {
    const stat = '42 (node (main) x) S 7 42 42 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 11 0 12345 1000 200';
    expect(parseStat(42, stat)).toEqual({ pid: 42, parent: 7, cpuUs: 1_750_000 });
  });
});
