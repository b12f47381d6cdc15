import { describe, expect, it } from '@jest/globals';

import { withRetries } from './with-retries.js';

const conflict = Object.assign(new Error('conflict'), { code: 'P2034' });

function failing(times: number, error: Error): { calls: number; run: () => Promise<string> } {
  const state = {
    calls: 0,
    run: () => {
      state.calls += 1;
      return state.calls <= times ? Promise.reject(error) : Promise.resolve('done');
    },
  };
  return state;
}

describe('withRetries', () => {
  it('runs a lost transaction again until it wins', async () => {
    const work = failing(3, conflict);
    await expect(withRetries(work.run, { random: () => 0 })).resolves.toBe('done');
    expect(work.calls).toBe(4);
  });

  it('gives up with the last error once the attempts are used', async () => {
    const work = failing(9, conflict);
    await expect(withRetries(work.run, { attempts: 3, random: () => 0 })).rejects.toBe(conflict);
    expect(work.calls).toBe(3);
  });

  it('does not repeat what would fail again', async () => {
    const work = failing(1, new Error('bug'));
    await expect(withRetries(work.run)).rejects.toThrow('bug');
    expect(work.calls).toBe(1);
  });
});
