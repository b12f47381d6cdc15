import { AppError } from '@penstock/protocol';

interface LoadLimits {
  readonly maxInFlight: number;
  readonly maxBufferedBytes: number;
}

/**
 * Bounds what one process takes on: requests at once, and bytes of request bodies at once. Beyond it callers are shed
 * at once with a hint to come back, because a queue would only add their wait to everybody's.
 */
export class LoadShedder {
  private requests = 0;
  private bytes = 0;

  constructor(private readonly limits: LoadLimits) {}

  get inFlight(): number {
    return this.requests;
  }

  get bufferedBytes(): number {
    return this.bytes;
  }

  /** Counts a request in. Always followed by one {@link leave}, also when {@link check} then refuses it. */
  enter(): void {
    this.requests += 1;
  }

  leave(): void {
    this.requests -= 1;
  }

  /**
   * @param bodyBytes - declared length, 0 when unknown
   * @throws AppError `overloaded`
   */
  check(bodyBytes: number): void {
    const { maxInFlight, maxBufferedBytes } = this.limits;
    if (this.requests > maxInFlight || this.bytes + bodyBytes > maxBufferedBytes) {
      throw new AppError('overloaded', 'This router is at its limit. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
  }

  hold(bytes: number): void {
    this.bytes += bytes;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }
}
