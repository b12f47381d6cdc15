/**
 * Work on a timer: one round at a time, each an interval after the last one ended. The timer keeps no process alive.
 */
export class PeriodicRounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private stopped = false;

  /**
   * @param round - handles its own failures; one that rejects all the same does not end the series
   * @param intervalMs - from the end of a round to the start of the next
   */
  constructor(
    private readonly round: () => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  start(): void {
    this.timer = setTimeout(() => {
      this.runOnce()
        .catch(() => undefined)
        .finally(() => {
          if (!this.stopped) this.start();
        });
    }, this.intervalMs);
    this.timer.unref();
  }

  /** Runs a round now, or joins the one that is running. */
  async runOnce(): Promise<void> {
    this.running ??= this.round().finally(() => (this.running = null));
    await this.running;
  }

  /** No further round; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running?.catch(() => undefined);
  }
}
