/** A clock that moves only when told. */
export class FakeClock {
  constructor(private nowMs: number = Date.UTC(2026, 0, 1)) {}

  /** Milliseconds since the epoch; an arrow function so that it can be handed over as `() => number`. */
  readonly now = (): number => this.nowMs;

  date(): Date {
    return new Date(this.nowMs);
  }

  advance(byMs: number): void {
    this.nowMs += byMs;
  }

  set(nowMs: number): void {
    this.nowMs = nowMs;
  }
}
