import type { Logger } from '@penstock/observability';
import { backoffMs, type Clock } from '../../control/index.js';
import { EXIT_CONFIG } from '../exit-codes.js';

/** One worker process as the supervisor needs it. */
export interface WorkerProcess {
  readonly pid: number;
  signal(name: 'SIGTERM' | 'SIGHUP'): void;
  /** Ends it without draining. */
  force(): void;
  /** Code of a process killed by a signal is null. */
  onExit(listener: (code: number | null) => void): void;
}

interface Dependencies {
  readonly workers: number;
  readonly fork: (index: number) => WorkerProcess;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RESTART_BACKOFF = { minMs: 200, maxMs: 10_000 };

/** A worker that lived this long did not fail to start. */
const STABLE_AFTER_MS = 30_000;

/** Workers that are still starting may have problems of their own to report before a hopeless start is given up. */
const LAST_WORDS_MS = 2_000;

/**
 * Keeps one process per index running until it is told to stop. A worker that ends is replaced, with growing waits
 * while replacements keep failing; one that ends over its configuration ends everything, as the next would too.
 */
export class WorkerSupervisor {
  private readonly running = new Map<number, WorkerProcess>();
  private readonly failures = new Map<number, number>();
  private readonly pending = new Set<() => void>();
  private exitCode = 0;
  private isStopping = false;
  private isHopeless = false;
  private finish: (code: number) => void = () => undefined;

  constructor(private readonly deps: Dependencies) {}

  /** Starts all workers. @returns the exit code, once all have ended after {@link stop} or a configuration error */
  run(): Promise<number> {
    return new Promise((resolve) => {
      this.finish = resolve;
      for (let index = 0; index < this.deps.workers; index += 1) this.start(index);
    });
  }

  /** Lets every worker drain; the second call ends them at once. */
  stop(): void {
    const isForced = this.isStopping;
    this.isStopping = true;
    for (const cancel of this.pending) cancel();
    this.pending.clear();
    if (isForced) this.exitCode = Math.max(this.exitCode, 1);
    for (const worker of this.running.values()) {
      if (isForced) worker.force();
      else worker.signal('SIGTERM');
    }
    this.finishWhenEmpty();
  }

  reload(): void {
    for (const worker of this.running.values()) worker.signal('SIGHUP');
  }

  private start(index: number): void {
    const worker = this.deps.fork(index);
    const startedMs = this.deps.clock.now();
    this.running.set(index, worker);
    worker.onExit((code) => this.ended(index, code, this.deps.clock.now() - startedMs));
  }

  private ended(index: number, code: number | null, livedMs: number): void {
    this.running.delete(index);
    if (this.isStopping || this.isHopeless || code === EXIT_CONFIG) {
      this.exitCode = Math.max(this.exitCode, code ?? 1);
      return this.isStopping ? this.finishWhenEmpty() : this.giveUp();
    }
    this.restartLater(index, code, livedMs);
  }

  private giveUp(): void {
    if (this.running.size === 0) return this.stop();
    if (this.isHopeless) return;
    this.isHopeless = true;
    const cancel = this.deps.clock.after(LAST_WORDS_MS, () => this.stop());
    this.pending.add(cancel);
  }

  private restartLater(index: number, code: number | null, livedMs: number): void {
    const failures = livedMs >= STABLE_AFTER_MS ? 1 : (this.failures.get(index) ?? 0) + 1;
    this.failures.set(index, failures);
    const delayMs = backoffMs(failures, RESTART_BACKOFF, this.deps.clock.random());
    this.deps.logger.error(
      { worker: index, code, delay_ms: Math.round(delayMs) },
      'worker ended, restarting it',
    );
    const cancel = this.deps.clock.after(delayMs, () => {
      this.pending.delete(cancel);
      this.start(index);
    });
    this.pending.add(cancel);
  }

  private finishWhenEmpty(): void {
    if (this.isStopping && this.running.size === 0) this.finish(this.exitCode);
  }
}
