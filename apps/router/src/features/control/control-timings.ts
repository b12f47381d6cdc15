import { backoffMs, jitteredMs } from './domain/backoff.js';
import { isRefused } from './coordinator-link.js';

/** Periods and waits of the control side, in milliseconds. Read anew each time, as they may be reloaded. */
export interface ControlTimings {
  readonly heartbeatPeriodMs: number;
  readonly reconcileIntervalMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** Wait after an answer that repeating will not change. */
  readonly refusedRetryMs: number;
}

/** Wait after `failures` failed attempts in a row. */
export function retryDelayMs(
  timings: ControlTimings,
  failures: number,
  error: unknown,
  random: number,
): number {
  if (isRefused(error)) return jitteredMs(timings.refusedRetryMs, random);
  return backoffMs(failures, { minMs: timings.backoffMinMs, maxMs: timings.backoffMaxMs }, random);
}

/** Wait of periodic work: its period, or after failures the backoff where that is shorter. */
export function periodicDelayMs(
  timings: ControlTimings,
  periodMs: number,
  failure: { readonly failures: number; readonly error: unknown },
  random: number,
): number {
  if (failure.failures === 0) return jitteredMs(periodMs, random);
  const retryMs = retryDelayMs(timings, failure.failures, failure.error, random);
  return isRefused(failure.error) ? retryMs : Math.min(retryMs, periodMs);
}
