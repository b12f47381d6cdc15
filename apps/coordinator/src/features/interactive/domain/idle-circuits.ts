/** An interactive circuit as the collector sees it. */
export interface WatchedCircuit {
  readonly id: string;
  /** When somebody was last sent to it; its creation at first. */
  readonly openedAt: Date;
  /** Of the last request, as its worker noted it; null when nothing is noted. */
  readonly lastAccessMs: number | null;
}

/**
 * Remembers since when nothing is noted of a circuit. A live store that comes back empty has forgotten every access:
 * from then on each circuit gets the whole time once more, instead of losing its user at once.
 */
export class IdleCircuits {
  private readonly unnotedSince = new Map<string, number>();

  constructor(private readonly timeoutMs: number) {}

  /** Those nobody used for longer than the timeout, given all there are now. */
  among<C extends WatchedCircuit>(circuits: readonly C[], nowMs: number): C[] {
    this.forgetAllBut(new Set(circuits.map(({ id }) => id)));
    return circuits.filter((circuit) => nowMs - this.usedAt(circuit, nowMs) > this.timeoutMs);
  }

  private usedAt({ id, openedAt, lastAccessMs }: WatchedCircuit, nowMs: number): number {
    const opened = openedAt.getTime();
    if (lastAccessMs !== null) {
      this.unnotedSince.delete(id);
      return Math.max(opened, lastAccessMs);
    }
    const since = this.unnotedSince.get(id) ?? nowMs;
    this.unnotedSince.set(id, since);
    return Math.max(opened, since);
  }

  private forgetAllBut(ids: ReadonlySet<string>): void {
    for (const id of this.unnotedSince.keys()) if (!ids.has(id)) this.unnotedSince.delete(id);
  }
}
