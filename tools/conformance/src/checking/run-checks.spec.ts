import { describe, expect, it } from '@jest/globals';
import type { Check } from './check.js';
import { CheckFailed, CheckSkipped } from './expect.js';
import { runChecks } from './run-checks.js';
import { selectChecks } from './select-checks.js';

interface Bench {
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

const closed: string[] = [];

function check(id: string, run: Check<Bench>['run'], more: Partial<Check<Bench>> = {}): Check<Bench> {
  return { id, section: '1', title: id, run, mutation: { fault: '', rewriter: () => ({}) }, ...more };
}

const run = (...checks: Check<Bench>[]) =>
  runChecks<Bench>({
    checks,
    phases: [
      { name: 'first', width: 2 },
      { name: 'second', width: 1 },
    ],
    openBench: ({ id }, signal) =>
      Promise.resolve({
        signal,
        close: () => {
          closed.push(id);
          return Promise.resolve();
        },
      }),
    missing: (need) => (need === 'slow' ? 'not asked for' : undefined),
  });

/** A peer that does not answer: it ends with the signal. */
function hanging(signal: AbortSignal): Promise<Bench> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted'))),
  );
}

describe('a run', () => {
  it('reports every check, whatever became of the others', async () => {
    const results = await run(
      check('passes', () => Promise.resolve()),
      check('fails', () => Promise.reject(new CheckFailed('no'))),
      check('breaks', () => Promise.reject(new TypeError('oops'))),
      check('skips', () => Promise.reject(new CheckSkipped('why'))),
      check('waits', () => Promise.resolve(), { needs: ['slow'] }),
    );
    expect(results.map(({ id, status, detail }) => [id, status, detail])).toEqual([
      ['passes', 'passed', ''],
      ['fails', 'failed', 'no'],
      ['breaks', 'failed', 'unexpected: oops'],
      ['skips', 'skipped', 'why'],
      ['waits', 'skipped', 'not asked for'],
    ]);
  });

  it('ends a check at its deadline, aborts what it does and cleans up after it', async () => {
    let aborted = false;
    const hangs = check(
      'hangs',
      ({ signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise(() => undefined);
      },
      { deadlineMs: 20 },
    );
    expect(await run(hangs)).toMatchObject([{ status: 'failed', detail: 'not done after 20 ms' }]);
    expect(aborted).toBe(true);
    expect(closed).toContain('hangs');
  });

  it('fails a check that nothing could be prepared for, in time, and goes on', async () => {
    const options = { phases: [{ name: 'first', width: 1 }], missing: () => undefined };
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const results = await runChecks<Bench>({
      ...options,
      checks: ['refused', 'silent', 'last'].map((id) =>
        check(id, () => Promise.resolve(), { deadlineMs: 20 }),
      ),
      openBench: ({ id }, signal) => {
        if (id === 'refused') return Promise.reject(new Error('no connection'));
        return id === 'silent'
          ? hanging(signal)
          : Promise.resolve({ signal, close: () => Promise.resolve() });
      },
    });
    process.off('unhandledRejection', note);
    expect(results.map(({ status, detail }) => [status, detail])).toEqual([
      ['failed', 'unexpected: no connection'],
      ['failed', 'not done after 20 ms'],
      ['passed', ''],
    ]);
    expect(unhandled).toEqual([]);
  });

  it('begins a phase when the one before is over, and reports in the order of the suite', async () => {
    const order: string[] = [];
    const note = (id: string, phase?: string): Check<Bench> =>
      check(id, () => Promise.resolve(void order.push(id)), phase === undefined ? {} : { phase });
    const results = await run(note('late', 'second'), note('early'));
    expect(order).toEqual(['early', 'late']);
    expect(results.map(({ id }) => id)).toEqual(['late', 'early']);
  });
});

describe('a selection', () => {
  const checks = ['slots.free', 'slots.taken', 'events.ack'].map((id) => check(id, () => Promise.resolve()));

  it.each([
    [undefined, ['slots.free', 'slots.taken', 'events.ack']],
    ['slots.*', ['slots.free', 'slots.taken']],
    ['events.ack, slots.free', ['slots.free', 'events.ack']],
    ['1', ['slots.free', 'slots.taken', 'events.ack']],
    ['slots', []],
    ['slotsxfree', []],
  ])('by %s takes %j', (pattern, ids) => {
    expect(selectChecks(checks, pattern).map(({ id }) => id)).toEqual(ids);
  });
});
