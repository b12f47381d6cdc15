import { Redis, type ChainableCommander } from 'ioredis';
import type { Logger, Metrics } from '@penstock/observability';
import type { CircuitStatistics } from '../../usage/index.js';
import { liveDatabaseUrl } from '../domain/live-database.js';
import { UsageBatch, type CircuitUse } from '../domain/usage-batch.js';

interface Options {
  /** Of the event bus; the live database is on the same server. */
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly flushEveryMs?: number;
}

const FLUSH_EVERY_MS = 1_000;
const COMMAND_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 2_000;
const DISCONNECT_TIMEOUT_MS = 200;
/** The lives peers give these keys, in seconds: a counter starts anew after an idle hour. */
const REQUESTS_TTL = 3_600;
const LAST_ACCESS_TTL = 172_800;

/**
 * Writes requests and last access per circuit to the live database, one batch a second and one at a time. What cannot
 * be written is dropped and counted: these are figures for people, and nothing waits for them.
 */
export class RedisCircuitStatistics implements CircuitStatistics {
  private readonly batch = new UsageBatch();
  private readonly redis: Redis;
  private readonly outcomes;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | null = null;

  constructor(private readonly options: Options) {
    this.redis = new Redis(liveDatabaseUrl(options.redisUrl), {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      commandTimeout: COMMAND_TIMEOUT_MS,
      // A command that timed out is still waited for by its connection, with all that follow it.
      socketTimeout: COMMAND_TIMEOUT_MS,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      retryStrategy: () => RETRY_DELAY_MS,
    });
    // An absent Redis is a state, which the event bus tells the log of.
    this.redis.on('error', () => undefined);
    this.outcomes = options.metrics.counter({
      name: 'penstock_router_circuit_uses_total',
      help: 'Requests given to circuits, by whether the live database has heard of them.',
      labelNames: ['outcome'],
    });
  }

  chosen(circuitId: string): void {
    if (!this.batch.add(circuitId, Date.now() / 1_000)) this.outcomes.inc({ outcome: 'dropped' });
  }

  inUse(circuitId: string): void {
    this.batch.add(circuitId, Date.now() / 1_000, 0);
  }

  start(): void {
    this.redis.connect().catch(() => undefined);
    this.timer = setInterval(() => this.flush(), this.options.flushEveryMs ?? FLUSH_EVERY_MS);
    this.timer.unref();
  }

  /** Writes what is left, if that can be done at once. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.flush();
    await this.writing;
    this.redis.disconnect();
  }

  private flush(): void {
    if (this.writing !== null) return;
    const uses = this.batch.take();
    if (uses.size === 0) return;
    this.writing = this.write(uses).finally(() => (this.writing = null));
  }

  private async write(uses: ReadonlyMap<string, CircuitUse>): Promise<void> {
    let requests = 0;
    for (const use of uses.values()) requests += use.requests;
    const isWritten = await this.send(uses);
    this.outcomes.inc({ outcome: isWritten ? 'written' : 'dropped' }, requests);
  }

  private async send(uses: ReadonlyMap<string, CircuitUse>): Promise<boolean> {
    if (this.redis.status !== 'ready') return false;
    const pipeline = this.redis.pipeline();
    for (const [circuitId, use] of uses) addUse(pipeline, circuitId, use);
    try {
      const results = await pipeline.exec();
      return results?.every(([error]) => error === null) === true;
    } catch (error) {
      this.options.logger.debug({ err: error }, 'circuit statistics not written');
      return false;
    }
  }
}

function addUse(pipeline: ChainableCommander, circuitId: string, { requests, lastAccess }: CircuitUse): void {
  const prefix = `circuit.${circuitId}`;
  if (requests > 0) {
    pipeline.incrby(`${prefix}.requests`, requests);
    pipeline.expire(`${prefix}.requests`, REQUESTS_TTL);
  }
  pipeline.set(`${prefix}.last_access`, String(lastAccess), 'EX', LAST_ACCESS_TTL);
}
