import type { Circuit } from '@penstock/protocol';

/** Whole seconds until an unused circuit is collected, negative once that is due; null for inference, which never is. */
export function timeToLive(
  { app_mode }: Pick<Circuit, 'app_mode'>,
  lastAccessMs: number,
  timeoutMs: number,
  nowMs = Date.now(),
): number | null {
  return app_mode === 'inference' ? null : Math.trunc((lastAccessMs + timeoutMs - nowMs) / 1000);
}
