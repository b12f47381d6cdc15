import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 50;

/**
 * Polls until `check` gives true. A check that throws counts as "not yet".
 * @returns false when the deadline passed or `abandon` said that waiting is pointless.
 */
export async function waitUntil(
  check: () => Promise<boolean>,
  timeoutMs: number,
  abandon: () => boolean = () => false,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (abandon()) return false;
    if (await check().catch(() => false)) return true;
    if (Date.now() >= deadline) return false;
    await delay(POLL_INTERVAL_MS);
  }
}
