import type { Redis } from 'ioredis';

/** When circuits were last used, from the keys that every AppProxy worker writes. */
export class RedisLastAccess {
  constructor(private readonly redis: Redis) {}

  /**
   * Milliseconds since the epoch by circuit id; null where nothing is noted.
   * @throws Error while the store does not answer, because silence there says nothing about use
   */
  async of(circuitIds: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    if (circuitIds.length === 0) return new Map();
    const noted = await this.redis.mget(circuitIds.map((id) => `circuit.${id}.last_access`));
    return new Map(circuitIds.map((id, index) => [id, toMilliseconds(noted[index])]));
  }
}

function toMilliseconds(seconds: string | null | undefined): number | null {
  const value = Math.round(Number(seconds ?? Number.NaN) * 1_000);
  return Number.isFinite(value) ? value : null;
}
