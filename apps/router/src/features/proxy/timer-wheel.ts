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
  private readonly slots: Slot[] = Array.from({ length: SLOTS }, () => new Slot());
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
    this.slotOf(deadline).add(deadline);
    this.armed += 1;
    this.clock ??= this.start();
  }

  /** @internal */
  remove(deadline: Deadline): void {
    if (deadline.slot === null) return;
    deadline.slot.delete(deadline);
    this.armed -= 1;
  }

  private slotOf(deadline: Deadline): Slot {
    const tick = Math.max(Math.ceil(deadline.atMs / TICK_MS), this.ticked + 1);
    return this.slots[tick % SLOTS] as Slot;
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
      this.sweep(this.slots[tick % SLOTS] as Slot, nowMs);
    }
    this.ticked = Math.max(this.ticked, target);
  }

  private sweep(slot: Slot, nowMs: number): void {
    for (const deadline of slot.toArray()) {
      if (deadline.slot !== slot) continue;
      this.remove(deadline);
      if (deadline.atMs <= nowMs) deadline.fire();
      else this.insert(deadline);
    }
  }
}

/**
 * The deadlines of one tick, as a list through the deadlines themselves. Not a `Set`: the tables a set outgrows keep
 * their entries and point to their successor, so once one of them is promoted every request of the last seconds
 * survives with it, and young collections cost a sixth of the process.
 */
class Slot {
  private first: Deadline | null = null;

  add(deadline: Deadline): void {
    deadline.slot = this;
    deadline.next = this.first;
    if (this.first !== null) this.first.previous = deadline;
    this.first = deadline;
  }

  /** Leaves no reference behind in the deadline either. */
  delete(deadline: Deadline): void {
    const { next, previous } = deadline;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next !== null) next.previous = previous;
    deadline.slot = null;
    deadline.next = null;
    deadline.previous = null;
  }

  /** In the order they were added. */
  toArray(): readonly Deadline[] {
    const all: Deadline[] = [];
    for (let one = this.first; one !== null; one = one.next) all.push(one);
    return all.reverse();
  }
}

class Deadline implements Timer {
  atMs = 0;
  slot: Slot | null = null;
  next: Deadline | null = null;
  previous: Deadline | null = null;

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
