import type { Redis } from 'ioredis';

export interface CircuitStatistics {
  readonly requests: number;
  /** Milliseconds since the epoch, null when no request is remembered. */
  readonly lastAccessMs: number | null;
}

const UNKNOWN: CircuitStatistics = { requests: 0, lastAccessMs: null };

/** What workers count per circuit, in the keys every AppProxy worker writes. Lost counts read as none. */
export class RedisCircuitStatistics {
  constructor(private readonly redis: Redis) {}

  async of(circuitId: string): Promise<CircuitStatistics> {
    if (this.redis.status !== 'ready') return UNKNOWN;
    try {
      const [requests, seen] = await this.redis.mget(
        `circuit.${circuitId}.requests`,
        `circuit.${circuitId}.last_access`,
      );
      return { requests: Math.trunc(Number(requests ?? 0)) || 0, lastAccessMs: toMilliseconds(seen) };
    } catch {
      return UNKNOWN;
    }
  }
}

function toMilliseconds(seconds: string | null | undefined): number | null {
  const value = Math.round(Number(seconds ?? Number.NaN) * 1000);
  return Number.isFinite(value) ? value : null;
}
