import { setTimeout as delay } from 'node:timers/promises';

import { isSerializationFailure } from './postgres-errors.js';

export interface RetryOptions {
  /** Attempts in all, the first one included. Default 5. */
  readonly attempts?: number;
  /** Upper bound of the first wait; doubled per attempt, with full jitter. Default 20 ms. */
  readonly baseDelayMs?: number;
  /** Which failures are worth another attempt. Default: lost transaction races. */
  readonly retryable?: (error: unknown) => boolean;
  /** Number in [0, 1), for tests. */
  readonly random?: () => number;
}

/**
 * Runs a transaction again when it lost a race. `work` must be safe to repeat, which one transaction is.
 * @throws the last error when the attempts are used up, or at once one that is not retryable
 */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const {
    attempts = 5,
    baseDelayMs = 20,
    retryable = isSerializationFailure,
    random = Math.random,
  } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !retryable(error)) throw error;
      // Jitter: two losers that waited equally long would meet again.
      await delay(baseDelayMs * 2 ** (attempt - 1) * random());
    }
  }
}
