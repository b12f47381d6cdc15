import { describe, expect, it } from '@jest/globals';
import { RepeatingTask } from './repeating-task.js';
import { ManualClock, settled } from './testing/manual.clock.js';

/** A task whose runs end when the test says so. */
function controlled() {
  const clock = new ManualClock();
  const runs: { succeed: () => void; fail: (error: Error) => void }[] = [];
  const failures: number[] = [];
  const task = new RepeatingTask({
    run: () => new Promise<void>((resolve, reject) => runs.push({ succeed: resolve, fail: reject })),
    nextDelay: (failed) => (failed === 0 ? 1_000 : failed * 10),
    clock,
    onFailure: (_error, count) => failures.push(count),
  });
  return { clock, runs, failures, task };
}

describe('RepeatingTask', () => {
  it('runs at once when started, and again after its delay', async () => {
    const { clock, runs, task } = controlled();
    task.start();
    expect(runs).toHaveLength(1);
    runs[0]?.succeed();
    await settled();
    await clock.advance(999);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toHaveLength(2);
  });

  it('answers any number of requests during a run with one run after it', async () => {
    const { clock, runs, task } = controlled();
    task.start();
    for (let request = 0; request < 100; request += 1) task.trigger();
    expect(runs).toHaveLength(1);
    runs[0]?.succeed();
    await settled();
    await clock.advance(0);
    expect(runs).toHaveLength(2);
    runs[1]?.succeed();
    await settled();
    await clock.advance(0);
    expect(runs).toHaveLength(2);
  });

  it('counts failures in a row and forgets them after a success', async () => {
    const { clock, runs, failures, task } = controlled();
    task.start();
    runs[0]?.fail(new Error('first'));
    await settled();
    await clock.advance(10);
    runs[1]?.fail(new Error('second'));
    await settled();
    expect(clock.delays).toEqual([20]);
    await clock.advance(20);
    runs[2]?.succeed();
    await settled();
    expect(failures).toEqual([1, 2]);
    expect(clock.delays).toEqual([1_000]);
  });

  it('does not run again once stopped, and stops only when the run going on has ended', async () => {
    const { clock, runs, task } = controlled();
    task.start();
    task.trigger();
    let isStopped = false;
    const stopped = task.stop().then(() => (isStopped = true));
    await settled();
    expect(isStopped).toBe(false);
    runs[0]?.succeed();
    await stopped;
    task.trigger();
    await clock.advance(10_000);
    expect(runs).toHaveLength(1);
  });
});
