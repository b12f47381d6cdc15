/** Acks of one kind of thing, offered by the bus and collected by whoever waits for them. */
export class AckRegistry<A> {
  private readonly collectors = new Set<AckCollector<A>>();
  private closed = false;

  /** Starts collecting at once: arm before broadcasting, or the fastest node's ack is lost. */
  arm(matches: (ack: A) => boolean): AckCollector<A> {
    const collector = new AckCollector<A>(matches, () => this.collectors.delete(collector));
    this.collectors.add(collector);
    if (this.closed) collector.close();
    return collector;
  }

  offer(ack: A): void {
    for (const collector of this.collectors) collector.offer(ack);
  }

  /** Ends every wait: the process is going away, and the pull of each router carries the change. */
  close(): void {
    this.closed = true;
    for (const collector of this.collectors) collector.close();
  }
}

/** The acks of one change so far. Close it, or it collects for ever. */
export class AckCollector<A> {
  private readonly collected: A[] = [];
  private readonly listeners = new Set<() => void>();
  private closed = false;

  constructor(
    private readonly matches: (ack: A) => boolean,
    private readonly onClose: () => void,
  ) {}

  get isClosed(): boolean {
    return this.closed;
  }

  get acks(): readonly A[] {
    return this.collected;
  }

  offer(ack: A): void {
    if (this.closed || !this.matches(ack)) return;
    this.collected.push(ack);
    this.wake();
  }

  /** Waits until `enough` holds, the time is up or the collector is closed; tells which by the return value. */
  async until(enough: () => boolean, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (!enough()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || this.closed) return false;
      await this.nextChange(leftMs);
    }
    return true;
  }

  close(): void {
    this.closed = true;
    this.onClose();
    this.wake();
  }

  private nextChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.listeners.add(done);
    });
  }

  private wake(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
