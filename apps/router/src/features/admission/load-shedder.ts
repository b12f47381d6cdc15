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
    if (this.requests > this.limits.maxInFlight) throw overloaded();
    this.checkBytes(bodyBytes);
  }

  /**
   * Whether so much more fits.
   * @throws AppError `overloaded`
   */
  checkBytes(bytes: number): void {
    if (this.bytes + bytes > this.limits.maxBufferedBytes) throw overloaded();
  }

  hold(bytes: number): void {
    this.bytes += bytes;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }
}

function overloaded(): AppError {
  return new AppError('overloaded', 'This router is at its limit. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
