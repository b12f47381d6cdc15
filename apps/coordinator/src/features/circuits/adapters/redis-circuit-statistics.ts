import type { Redis } from 'ioredis';

export interface CircuitStatistics {
  readonly requests: number;
  /** Milliseconds since the epoch, null when no request is remembered. */
  readonly lastAccessMs: number | null;
}

const UNKNOWN: CircuitStatistics = { requests: 0, lastAccessMs: null };

/** What workers note per circuit, in the keys every AppProxy worker writes. Lost counts read as none. */
export class RedisCircuitStatistics {
  constructor(private readonly redis: Redis) {}

  /** What is known of one circuit; while the store does not answer, nothing is. */
  async of(circuitId: string): Promise<CircuitStatistics> {
    if (this.redis.status !== 'ready') return UNKNOWN;
    try {
      const [requests, seen] = await this.redis.mget(
        `circuit.${circuitId}.requests`,
        lastAccessKey(circuitId),
      );
      return { requests: Math.trunc(Number(requests ?? 0)) || 0, lastAccessMs: toMilliseconds(seen) };
    } catch {
      return UNKNOWN;
    }
  }

  /**
   * Milliseconds since the epoch by circuit id; null where nothing is noted.
   * @throws Error while the store does not answer, because silence there says nothing about use
   */
  async lastAccessOf(circuitIds: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    if (circuitIds.length === 0) return new Map();
    const noted = await this.redis.mget(circuitIds.map(lastAccessKey));
    return new Map(circuitIds.map((id, index) => [id, toMilliseconds(noted[index])]));
  }
}

function lastAccessKey(circuitId: string): string {
  return `circuit.${circuitId}.last_access`;
}

function toMilliseconds(seconds: string | null | undefined): number | null {
  const value = Math.round(Number(seconds ?? Number.NaN) * 1000);
  return Number.isFinite(value) ? value : null;
}
