/** One deadline in a {@link TimerWheel}. Made once per request and armed as often as needed. */
export interface Timer {
  /** Moves the deadline; costs one assignment when it moves outwards. */
  arm(afterMs: number): void;
  cancel(): void;
}

const TICK_MS = 25;
const SLOTS = 512;

/**
 * Deadlines of all requests on one coarse clock: a request that arms, moves and cancels three deadlines makes no
 * timer. Fires up to one tick late, never early. The clock stops one tick after nothing is armed any more, so
 * an idle process owns no timer.
 */
export class TimerWheel {
  private readonly slots: Set<Deadline>[] = Array.from({ length: SLOTS }, () => new Set());
  private armed = 0;
  private ticked = 0;
  private clock: NodeJS.Timeout | null = null;

  /** Monotonic milliseconds. */
  now(): number {
    return performance.now();
  }

  create(onFire: () => void): Timer {
    return new Deadline(this, onFire);
  }

  /** @internal */
  insert(deadline: Deadline): void {
    const slot = this.slotOf(deadline);
    deadline.slot = slot;
    slot.add(deadline);
    this.armed += 1;
    this.clock ??= this.start();
  }

  /** @internal */
  remove(deadline: Deadline): void {
    if (deadline.slot?.delete(deadline) !== true) return;
    deadline.slot = null;
    this.armed -= 1;
  }

  private slotOf(deadline: Deadline): Set<Deadline> {
    const tick = Math.max(Math.ceil(deadline.atMs / TICK_MS), this.ticked + 1);
    return this.slots[tick % SLOTS] as Set<Deadline>;
  }

  private start(): NodeJS.Timeout {
    this.ticked = Math.floor(this.now() / TICK_MS);
    return setInterval(() => this.advance(), TICK_MS).unref();
  }

  private stop(): void {
    if (this.clock !== null) clearInterval(this.clock);
    this.clock = null;
  }

  private advance(): void {
    if (this.armed === 0) return this.stop();
    const nowMs = this.now();
    const target = Math.floor(nowMs / TICK_MS);
    // After a stall of the process one turn of the wheel reaches every slot.
    const first = Math.max(this.ticked + 1, target - SLOTS + 1);
    for (let tick = first; tick <= target; tick += 1) {
      this.ticked = tick;
      this.sweep(this.slots[tick % SLOTS] as Set<Deadline>, nowMs);
    }
    this.ticked = Math.max(this.ticked, target);
  }

  private sweep(slot: Set<Deadline>, nowMs: number): void {
    for (const deadline of [...slot]) {
      if (deadline.slot !== slot) continue;
      this.remove(deadline);
      if (deadline.atMs <= nowMs) deadline.fire();
      else this.insert(deadline);
    }
  }
}

class Deadline implements Timer {
  atMs = 0;
  slot: Set<Deadline> | null = null;

  constructor(
    private readonly wheel: TimerWheel,
    private readonly onFire: () => void,
  ) {}

  arm(afterMs: number): void {
    const atMs = this.wheel.now() + afterMs;
    const inwards = atMs < this.atMs;
    this.atMs = atMs;
    // Outwards the old slot is kept: when its turn comes, the deadline is put where it belongs by then.
    if (this.slot !== null && !inwards) return;
    this.wheel.remove(this);
    this.wheel.insert(this);
  }

  cancel(): void {
    this.wheel.remove(this);
  }

  fire(): void {
    this.onFire();
  }
}
