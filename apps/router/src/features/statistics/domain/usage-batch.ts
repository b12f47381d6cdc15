/** How a circuit was used since the last batch. */
export interface CircuitUse {
  requests: number;
  /** UNIX seconds, with a fraction. */
  lastAccess: number;
}

/** Circuits one batch remembers; uses of more are dropped. A worker has far fewer. */
export const CIRCUITS_MAX = 10_000;

/** Uses of circuits between two writes. Bounded, and one map entry per circuit however many requests it got. */
export class UsageBatch {
  private uses = new Map<string, CircuitUse>();

  /**
   * @param requests - 0 for more use of what was counted before
   * @returns false when there was no room to count it
   */
  add(circuitId: string, lastAccess: number, requests = 1): boolean {
    const use = this.uses.get(circuitId);
    if (use !== undefined) {
      use.requests += requests;
      use.lastAccess = lastAccess;
      return true;
    }
    if (this.uses.size >= CIRCUITS_MAX) return false;
    this.uses.set(circuitId, { requests, lastAccess });
    return true;
  }

  /** What has come together; counting begins anew. */
  take(): ReadonlyMap<string, CircuitUse> {
    const taken = this.uses;
    if (taken.size > 0) this.uses = new Map();
    return taken;
  }
}
