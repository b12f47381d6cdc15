import type { Clock } from './clock.port.js';

/** Decides when a task runs next. `null` means: only when asked. */
export type NextDelay = (failures: number, error: unknown) => number | null;

interface RepeatingTaskOptions {
  /** One run; it rejects when it failed. Never called while another run is going on. */
  readonly run: () => Promise<void>;
  readonly nextDelay: NextDelay;
  readonly clock: Clock;
  /** Told of every failed run. */
  readonly onFailure: (error: unknown, failures: number) => void;
}

/**
 * Work that repeats: periodically, after failures, and at once when asked. At most one run goes on and at most one
 * waits, however often it is asked for.
 */
export class RepeatingTask {
  private state: 'stopped' | 'idle' | 'running' = 'stopped';
  private again = false;
  private failures = 0;
  private cancelTimer: () => void = () => undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RepeatingTaskOptions) {}

  /** Starts with a run. Safe to repeat. */
  start(): void {
    if (this.state !== 'stopped') return;
    this.state = 'idle';
    this.trigger();
  }

  /** A run that starts after this call; one that is going on may have looked before. No effect when stopped. */
  trigger(): void {
    if (this.state === 'running') this.again = true;
    if (this.state !== 'idle') return;
    this.cancelTimer();
    this.state = 'running';
    this.running = this.runOnce();
  }

  /** No further run; resolves when the one going on has ended. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.again = false;
    this.cancelTimer();
    await this.running;
  }

  private async runOnce(): Promise<void> {
    const error = await this.attempt();
    if (this.isStopped()) return;
    this.state = 'idle';
    const delayMs = this.again ? 0 : this.options.nextDelay(this.failures, error);
    this.again = false;
    if (delayMs !== null) this.cancelTimer = this.options.clock.after(delayMs, () => this.trigger());
  }

  private async attempt(): Promise<unknown> {
    try {
      await this.options.run();
      this.failures = 0;
      return null;
    } catch (error) {
      this.failures += 1;
      this.options.onFailure(error, this.failures);
      return error;
    }
  }

  /** Read through a method, because `stop` may have run during an await that the compiler cannot see through. */
  private isStopped(): boolean {
    return this.state === 'stopped';
  }
}
