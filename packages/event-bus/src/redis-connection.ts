import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 5_000;
/** Silence on a connection that owes an answer, after which it counts as dead. */
const SOCKET_TIMEOUT_MS = 3_000;
const PING_INTERVAL_MS = 2_000;
const RETRY_DELAY_MIN_MS = 50;
const RETRY_DELAY_MAX_MS = 500;

/**
 * Waiting time before attempt `times`. The cap is low because a change must be visible within a second of the return
 * of Redis; the jitter keeps a fleet from returning in one beat.
 */
function retryDelayMs(times: number): number {
  const backoff = Math.min(RETRY_DELAY_MIN_MS * 2 ** Math.min(times - 1, 8), RETRY_DELAY_MAX_MS);
  return Math.round(backoff * (0.75 + Math.random() / 4));
}

/**
 * A client that reconnects for ever and holds nothing back: no offline queue, no resending. Pings keep noticing a
 * peer that vanished without closing its socket.
 * @param onError - connection failures, one per attempt
 */
export function createRedisConnection(url: string, onError: (error: Error) => void): RedisConnection {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    retryStrategy: retryDelayMs,
  });
  redis.on('error', onError);
  return new RedisConnection(redis);
}

export class RedisConnection {
  private pinger: NodeJS.Timeout | undefined;

  constructor(readonly redis: Redis) {}

  get isReady(): boolean {
    return this.redis.status === 'ready';
  }

  connect(): void {
    if (this.pinger !== undefined) return;
    this.pinger = setInterval(() => this.ping(), PING_INTERVAL_MS);
    this.pinger.unref();
    // The first failure is reported by the error event as well; the retries go on by themselves.
    this.redis.connect().catch(() => undefined);
  }

  close(): void {
    clearInterval(this.pinger);
    this.redis.disconnect();
  }

  private ping(): void {
    if (this.isReady) this.redis.ping().catch(() => undefined);
  }
}
