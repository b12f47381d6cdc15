import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Logger } from '@penstock/observability';
import { ManualClock, settled } from '../../control/testing/manual.clock.js';
import { WorkerSupervisor, type WorkerProcess } from './worker-supervisor.js';

class FakeWorker implements WorkerProcess {
  readonly signals: string[] = [];
  private listener: (code: number | null) => void = () => undefined;

  constructor(
    readonly index: number,
    readonly pid: number,
  ) {}

  signal(name: string): void {
    this.signals.push(name);
  }

  force(): void {
    this.signals.push('force');
  }

  onExit(listener: (code: number | null) => void): void {
    this.listener = listener;
  }

  exit(code: number | null): void {
    this.listener(code);
  }
}

let clock: ManualClock;
let forked: FakeWorker[];
let supervisor: WorkerSupervisor;
let exitCode: number | undefined;

const worker = (n: number) => forked[n] as FakeWorker;

beforeEach(() => {
  clock = new ManualClock();
  forked = [];
  exitCode = undefined;
  const fork = (index: number) => {
    const next = new FakeWorker(index, forked.length + 1);
    forked.push(next);
    return next;
  };
  const logger = { error: () => undefined } as unknown as Logger;
  supervisor = new WorkerSupervisor({ workers: 2, fork, clock, logger });
  void supervisor.run().then((code) => (exitCode = code));
});

describe('WorkerSupervisor', () => {
  it('replaces a worker that ended under its own index, with growing waits', async () => {
    worker(1).exit(null);
    expect(forked).toHaveLength(2);
    await clock.advance(150);
    expect(forked.map(({ index }) => index)).toEqual([0, 1, 1]);
    worker(2).exit(1);
    expect(clock.delays).toEqual([300]);
  });

  it('forgets earlier failures of a worker that lived long', async () => {
    for (const n of [1, 2]) {
      worker(n).exit(1);
      await clock.advance(1_000);
    }
    await clock.advance(30_000);
    worker(3).exit(1);
    expect(clock.delays).toEqual([150]);
  });

  it('hands one signal on, waits for all, and ends with 0', async () => {
    supervisor.stop();
    expect(forked.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']]);
    worker(0).exit(0);
    await settled();
    expect(exitCode).toBeUndefined();
    worker(1).exit(0);
    await settled();
    expect(exitCode).toBe(0);
  });

  it('ends the workers at once on the second signal, and says that it did', async () => {
    supervisor.stop();
    supervisor.stop();
    expect(worker(0).signals).toEqual(['SIGTERM', 'force']);
    worker(0).exit(null);
    worker(1).exit(null);
    await settled();
    expect(exitCode).toBe(1);
  });

  it('starts nothing any more once told to stop', async () => {
    worker(0).exit(1);
    supervisor.stop();
    worker(1).exit(0);
    await clock.advance(60_000);
    expect(forked).toHaveLength(2);
    expect(exitCode).toBe(0);
  });

  it('ends everything when a worker ends over its configuration: the next one would too', async () => {
    worker(0).exit(78);
    await clock.advance(2_000);
    expect(worker(1).signals).toEqual(['SIGTERM']);
    worker(1).exit(0);
    await settled();
    expect(exitCode).toBe(78);
  });

  it('lets the others report their own problems before it ends over the first', async () => {
    worker(0).exit(78);
    expect(worker(1).signals).toEqual([]);
    worker(1).exit(78);
    await settled();
    expect([exitCode, forked.length]).toEqual([78, 2]);
  });

  it('hands a reload on', () => {
    supervisor.reload();
    expect(worker(1).signals).toEqual(['SIGHUP']);
  });
});
