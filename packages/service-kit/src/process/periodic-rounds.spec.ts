import { describe, expect, it } from '@jest/globals';

import { PeriodicRounds } from './periodic-rounds.js';

/** Resolves when as many rounds were begun. */
function counting(wanted: number, round: () => Promise<void> = () => Promise.resolve()) {
  const reached = Promise.withResolvers<void>();
  let begun = 0;
  const rounds = new PeriodicRounds(() => {
    begun += 1;
    if (begun === wanted) reached.resolve();
    return round();
  }, 1);
  return { rounds, reached: reached.promise, begun: () => begun };
}

describe('PeriodicRounds', () => {
  it('goes on after a round that failed', async () => {
    const { rounds, reached } = counting(3, () => Promise.reject(new Error('away')));
    rounds.start();
    await reached;
    await rounds.stop();
  });

  it('joins the round that is running', async () => {
    const gate = Promise.withResolvers<void>();
    const { rounds, begun } = counting(1, () => gate.promise);
    const both = Promise.all([rounds.runOnce(), rounds.runOnce()]);
    gate.resolve();
    await both;
    expect(begun()).toBe(1);
  });

  it('waits for the round under way when it stops, and begins no other', async () => {
    const gate = Promise.withResolvers<void>();
    const { rounds, reached, begun } = counting(1, () => gate.promise);
    rounds.start();
    await reached;
    const stopping = rounds.stop();
    gate.resolve();
    await stopping;
    expect([rounds.isStopped, begun()]).toEqual([true, 1]);
  });
});
