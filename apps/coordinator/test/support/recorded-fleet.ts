import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from './coordinator-instance.js';
import { FakeStockWorker } from './fake-stock-worker.js';
import { recordedSection, type RecordedExchange } from './recorded.js';
import { stockBodies } from './stock-bodies.js';

export const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';

type Kind = 'wildcard' | 'port' | 'tcp';

/** The installation of the recordings: one coordinator and the stock workers that a test asks for. */
export class RecordedFleet {
  private readonly joined: FakeStockWorker[] = [];
  private readonly bodies = stockBodies(uniqueAuthority());

  private constructor(
    readonly coordinator: CoordinatorInstance,
    private readonly database: TestDatabase,
  ) {}

  static async start(overrides: Readonly<Record<string, unknown>> = {}): Promise<RecordedFleet> {
    const database = await createTestDatabase('coordinator');
    const coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { jwt_secret: JWT_SECRET, ack_timeout_ms: 10_000, ...overrides },
    });
    return new RecordedFleet(coordinator, database);
  }

  async join(kind: Kind, over: Readonly<Record<string, unknown>> = {}): Promise<FakeStockWorker> {
    const body = { ...this.bodies[kind], ...over };
    const worker = await FakeStockWorker.join(this.coordinator, { redisUrl: testRedisUrl(), body });
    this.joined.push(worker);
    return worker;
  }

  /** Authorities of the recordings -> those of this run. */
  get names(): Readonly<Record<string, string>> {
    return {
      'wildcard-worker': this.bodies.wildcard.authority,
      'port-worker': this.bodies.port.authority,
      'tcp-worker': this.bodies.tcp.authority,
      'http://127.0.0.1:10200': this.coordinator.url,
    };
  }

  async stop(): Promise<void> {
    for (const worker of this.joined) worker.leave();
    await this.coordinator.stop();
    await this.database.drop();
  }
}

/** One recorded call by section and name. */
export function recordedCall(section: string, name: string): RecordedExchange {
  const found = recordedSection(section).find((exchange) => exchange.name === name);
  if (found === undefined) throw new Error(`${section} has no ${name}`);
  return found;
}
