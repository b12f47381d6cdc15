/** How an attempt reflects on its replica. `neutral` says nothing, as when the client hung up. */
export type HealthSignal = 'success' | 'failure' | 'unreachable' | 'neutral';

/** When a replica is ejected and for how long. */
export interface HealthRules {
  /** Failures in a row that eject a replica which can still be connected to. */
  readonly failuresToEject: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

export const DEFAULT_HEALTH_RULES: HealthRules = {
  failuresToEject: 3,
  backoffMinMs: 1_000,
  backoffMaxMs: 10_000,
};

/**
 * Passive health of one replica. An ejected replica comes back by itself: after its backoff exactly one request at a
 * time tries it, success restores it, failure ejects it for twice as long. There is no state that needs a restart.
 */
export class ReplicaHealth {
  failures = 0;
  private ejectedUntilMs = 0;
  private backoffMs = 0;
  private trial = false;

  constructor(private readonly rules: HealthRules = DEFAULT_HEALTH_RULES) {}

  /** True while the replica is neither ejected nor on trial. */
  get healthy(): boolean {
    return this.backoffMs === 0;
  }

  /** Whether a new request may go there at `nowMs`. */
  eligible(nowMs: number): boolean {
    if (this.backoffMs === 0) return true;
    return nowMs >= this.ejectedUntilMs && !this.trial;
  }

  /**
   * Call when an attempt starts.
   * @returns true when it is the trial of an ejected replica; no other begins until its result is reported as that
   */
  begin(): boolean {
    if (this.backoffMs === 0 || this.trial) return false;
    this.trial = true;
    return true;
  }

  /**
   * Call once when that attempt's effect on the replica is known.
   * @param isTrial - what {@link begin} said; attempts from before the ejection do not end a trial
   */
  report(signal: HealthSignal, nowMs: number, isTrial = false): void {
    if (isTrial) this.trial = false;
    if (signal === 'neutral') return;
    if (signal === 'success') {
      this.failures = 0;
      this.backoffMs = 0;
      return;
    }
    this.failures += 1;
    const limit = signal === 'unreachable' ? 1 : this.rules.failuresToEject;
    if (this.failures >= limit || this.backoffMs !== 0) this.eject(nowMs);
  }

  private eject(nowMs: number): void {
    // Attempts that were already under way when the replica was ejected must not each double the wait.
    if (nowMs < this.ejectedUntilMs) return;
    const { backoffMinMs, backoffMaxMs } = this.rules;
    this.backoffMs = this.backoffMs === 0 ? backoffMinMs : Math.min(this.backoffMs * 2, backoffMaxMs);
    this.ejectedUntilMs = nowMs + this.backoffMs;
  }
}
