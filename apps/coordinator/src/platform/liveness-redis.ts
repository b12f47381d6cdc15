import type { Logger } from '@penstock/observability';
import { Redis } from 'ioredis';

/** The live database of AppProxy, whatever index the bus uses on the same server. */
const LIVE_DATABASE = 2;
const COMMAND_TIMEOUT_MS = 1_000;
/** Silence on a connection that owes an answer, after which it counts as dead. */
const SOCKET_TIMEOUT_MS = 3_000;
const RETRY_DELAY_MAX_MS = 500;

/** A connection that fails fast, queues nothing and comes back by itself. */
export function createLivenessRedis(redisUrl: string, logger: Logger): Redis {
  const redis = new Redis(withDatabase(redisUrl, LIVE_DATABASE), {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 8), RETRY_DELAY_MAX_MS),
  });
  let lastReason = '';
  redis.on('error', (error: Error) => {
    // The same failure comes back twice a second; one line says it.
    if (error.message !== lastReason) logger.warn({ reason: error.message }, 'liveness store not reachable');
    lastReason = error.message;
  });
  redis.on('ready', () => {
    lastReason = '';
  });
  redis.connect().catch(() => undefined);
  return redis;
}

function withDatabase(redisUrl: string, index: number): string {
  const url = new URL(redisUrl);
  url.pathname = `/${index}`;
  return url.href;
}
