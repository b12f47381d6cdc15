import { generateLoad, type LoadRequest } from '../load/generate-load.ts';
import type { Target } from '../targets/target.ts';
import { cpuTimeUs } from './process-cpu.ts';

/** One target in one round. */
export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU time of the proxy per request; null when there is no proxy or no /proc. */
  readonly cpuUsPerRequest: number | null;
  readonly errors: number;
}

export type Load = Omit<LoadRequest, 'port'>;

export async function measure(target: Target, load: Load): Promise<Measurement> {
  const before = target.pid === null ? null : cpuTimeUs(target.pid);
  const result = await generateLoad({ ...load, port: target.port });
  const after = target.pid === null ? null : cpuTimeUs(target.pid);
  const cpuUs = before === null || after === null ? null : after - before;
  return {
    requestsPerSecond: result.requests / (result.duration_us / 1_000_000),
    p50Us: result.p50_us,
    p99Us: result.p99_us,
    cpuUsPerRequest: cpuUs === null || result.requests === 0 ? null : cpuUs / result.requests,
    errors: result.errors,
  };
}
