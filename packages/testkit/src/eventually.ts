import { setTimeout as delay } from 'node:timers/promises';

const DEFAULT_TIMEOUT_MS = 10_000;
const INTERVAL_MS = 20;

/**
 * Repeats `check` until it does not throw and gives its value.
 * @throws the last failure when the time is over, so that a failed expectation is shown as such.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await delay(options.intervalMs ?? INTERVAL_MS);
  }
}
