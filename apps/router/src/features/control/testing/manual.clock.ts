import type { Clock } from '../clock.port.js';

interface Waiting {
  readonly atMs: number;
  readonly task: () => void;
}

/** A clock that moves when told, and a chance that is always the middle. */
export class ManualClock implements Clock {
  private nowMs = 0;
  private waiting: Waiting[] = [];

  readonly now = (): number => this.nowMs;

  readonly random = (): number => 0.5;

  readonly after = (delayMs: number, task: () => void): (() => void) => {
    const entry = { atMs: this.nowMs + delayMs, task };
    this.waiting.push(entry);
    return () => (this.waiting = this.waiting.filter((other) => other !== entry));
  };

  /** Delays until the tasks that wait now. */
  get delays(): readonly number[] {
    return this.waiting.map(({ atMs }) => atMs - this.nowMs);
  }

  /** Moves on, runs what is due, and lets what that started settle. */
  async advance(byMs: number): Promise<void> {
    this.nowMs += byMs;
    const due = this.waiting.filter(({ atMs }) => atMs <= this.nowMs);
    this.waiting = this.waiting.filter(({ atMs }) => atMs > this.nowMs);
    for (const { task } of due) task();
    await settled();
  }
}

/** Resolves after everything that only waited for promises has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
