import type { Timer, TimerWheel } from './timer-wheel.js';

/** What did not come in time: the head of an answer, its next piece, or the end of the whole request. */
export type Deadline = 'head' | 'piece' | 'request';

/** Milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  readonly streamHeadersMs: number;
  readonly idleMs: number;
  readonly requestMs: number;
}

/** The deadlines of one request on one timer. Whatever is waited for, the request's own end comes first if it is nearer. */
export class Deadlines {
  private readonly timer: Timer;
  private readonly endMs: number;
  private waitsFor: Deadline = 'request';

  /** @param startedMs - when the request was accepted, by the wheel's clock */
  constructor(
    private readonly timers: TimerWheel,
    private readonly timeouts: Timeouts,
    startedMs: number,
    onExpired: (which: Deadline) => void,
  ) {
    this.endMs = startedMs + timeouts.requestMs;
    this.timer = timers.create(() => onExpired(this.waitsFor));
  }

  /** A replica is being asked what it serves; that has a deadline of its own. */
  awaitName(): void {
    this.arm('request', Infinity);
  }

  /** A stream's head comes before its first token, any other head when the whole answer is ready. */
  awaitHead(isStream: boolean): void {
    this.arm('head', isStream ? this.timeouts.streamHeadersMs : this.timeouts.headersMs);
  }

  awaitPiece(): void {
    this.arm('piece', this.timeouts.idleMs);
  }

  cancel(): void {
    this.timer.cancel();
  }

  private arm(deadline: Deadline, afterMs: number): void {
    const leftMs = this.endMs - this.timers.now();
    this.waitsFor = leftMs < afterMs ? 'request' : deadline;
    this.timer.arm(Math.min(leftMs, afterMs));
  }
}
