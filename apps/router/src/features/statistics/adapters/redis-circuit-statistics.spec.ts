import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createLogger, createMetrics } from '@penstock/observability';
import { until } from '../../../testing/test-router.js';
import { RedisCircuitStatistics } from './redis-circuit-statistics.js';

/** A database that greets its clients and falls silent, its connections open. */
class SilentRedis {
  /** Commands that wait for an answer on connections that are open. */
  unanswered = 0;
  isSilent = false;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => this.take(socket));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}/4`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private take(socket: Socket): void {
    this.sockets.add(socket);
    let unanswered = 0;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.sockets.delete(socket);
        this.unanswered -= unanswered;
      });
    socket.on('data', (bytes) => {
      const commands = bytes.toString('latin1').match(/^\*\d+\r$/gm)?.length ?? 0;
      if (!this.isSilent) return void socket.write('+OK\r\n'.repeat(commands));
      unanswered += commands;
      this.unanswered += commands;
    });
  }
}

const redis = new SilentRedis();
let statistics: RedisCircuitStatistics | undefined;

afterEach(async () => {
  await statistics?.close();
  redis.close();
});

it('lets go of what a database that has fallen silent never answered', async () => {
  const metrics = createMetrics({ service: 'router', processMetrics: false });
  const logger = createLogger({ service: 'router', level: 'fatal' });
  const redisUrl = await redis.listen();
  statistics = new RedisCircuitStatistics({ redisUrl, logger, metrics, flushEveryMs: 10 });
  const counted = async (outcome: string): Promise<boolean> => {
    statistics?.chosen('c');
    return new RegExp(`uses_total.*outcome="${outcome}".* [1-9]`).test(await metrics.text());
  };
  statistics.start();
  await until(() => counted('written'));
  redis.isSilent = true;
  await until(() => redis.unanswered > 0 || counted('written').then(() => false));
  // Each batch waits a second for its answer; were the connection kept, the next one would be queued behind it.
  await until(() => redis.unanswered === 0 || counted('written').then(() => false));
  expect(redis.unanswered).toBe(0);
});
