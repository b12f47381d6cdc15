/** Outcome of asking for one token. */
export type Admission =
  { readonly allowed: true } | { readonly allowed: false; readonly retryAfterMs: number };

const ALLOWED: Admission = { allowed: true };

/**
 * Token bucket of a rate per minute: capacity is one minute's worth, refill is continuous, so there is no window edge
 * at which twice the rate passes. The clock is handed in; it may jump back without minting tokens.
 */
export class TokenBucket {
  private tokens: number;

  constructor(
    private perMinute: number,
    private lastMs: number,
  ) {
    this.tokens = this.capacity;
  }

  take(nowMs: number): Admission {
    if (this.perMinute <= 0) return { allowed: false, retryAfterMs: 60_000 };
    this.refill(nowMs);
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return ALLOWED;
    }
    return { allowed: false, retryAfterMs: Math.ceil(((1 - this.tokens) * 60_000) / this.perMinute) };
  }

  /** Adopts a changed limit without forgiving what was already spent. */
  setRate(perMinute: number): void {
    if (perMinute === this.perMinute) return;
    const spent = this.capacity - this.tokens;
    this.perMinute = perMinute;
    this.tokens = Math.max(0, this.capacity - spent);
  }

  /** A share below one per minute still lets single requests through. */
  private get capacity(): number {
    return Math.max(1, this.perMinute);
  }

  private refill(nowMs: number): void {
    const elapsedMs = nowMs - this.lastMs;
    this.lastMs = nowMs;
    if (elapsedMs <= 0) return;
    this.tokens = Math.min(this.capacity, this.tokens + (elapsedMs * this.perMinute) / 60_000);
  }
}
