import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';
import { Redis } from 'ioredis';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { InteractiveSession, portWorker, STOCK } from '../support/interactive-session.js';

const TIMEOUT_MS = 1_000;
const redisUrl = testRedisUrl();

describe('interactive circuits nobody uses, under three coordinators', () => {
  let database: TestDatabase;
  let coordinators: CoordinatorInstance[];
  let one: CoordinatorInstance;
  let worker: FakeRouterNode;
  let live: Redis;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = {
      databaseUrl: database.url,
      redisUrl,
      overrides: {
        jwt_secret: 's',
        worker_heartbeat_timeout_ms: 600_000,
        unused_circuit_collection_timeout_ms: TIMEOUT_MS,
        unused_circuit_sweep_interval_ms: 100,
      },
    };
    coordinators = await Promise.all([1, 2, 3].map(() => CoordinatorInstance.start(settings)));
    one = coordinators[0] as CoordinatorInstance;
    // Keeps http for interactive and inference alike, so that a collector that looks at too much is found out.
    worker = await FakeRouterNode.join(
      one,
      { authority: uniqueAuthority(), redisUrl },
      { ...portWorker(30_001, 30_002), accepted_traffics: [...STOCK.accepted_traffics, 'inference'] },
    );
    const url = new URL(redisUrl);
    url.pathname = '/2';
    live = new Redis(url.href);
  });

  afterAll(async () => {
    live.disconnect();
    await worker.leave();
    await Promise.all(coordinators.map((each) => each.stop()));
    await database.drop();
  });

  it('are removed once, with an event, and their slots are free again; inference stays', async () => {
    const deployment_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
    const tags = {
      session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
      endpoint: { id: deployment_id },
    };
    const body = { endpoints: [{ deployment_id, service_name: 's', tags }] };
    expect((await one.call('POST', '/v2/endpoints/bulk', { body })).status).toBe(200);
    const session = await InteractiveSession.handOver(one);
    expect((await session.open({})).status).toBe(200);
    expect((await session.open({ app: 'full' })).status).toBe(503);

    const removed = await eventually(() => {
      const events = worker.heard(EVENT_NAMES.circuitRemoved);
      expect(events).toHaveLength(1);
      return events[0]?.circuits;
    });
    expect(removed).toMatchObject([{ app: 'jupyter', app_mode: 'interactive', session_ids: [session.id] }]);
    expect((await session.open({ app: 'second' })).status).toBe(200);
    expect(worker.heard(EVENT_NAMES.circuitRemoved)).toHaveLength(1);
    const { body: snapshot } = await one.call('GET', `/api/worker/${worker.workerId}/circuits`);
    expect(snapshot.circuits.map(({ app }) => app)).toEqual(['s', 'second']);
  });

  it.each([
    [
      'requests are noted',
      (id: string) => live.set(`circuit.${id}.last_access`, String(Date.now() / 1000), 'EX', 60),
    ],
    ['it is opened again', (_id: string, session: InteractiveSession) => session.open({ app: 'used' })],
  ])('stay as long as %s, and go when that ends', async (_what, use) => {
    const session = await InteractiveSession.handOver(one);
    // Free as soon as the circuit of the test before is collected.
    await eventually(async () => expect((await session.open({ app: 'used' })).status).toBe(200));
    const { body } = await one.call('GET', `/api/worker/${worker.workerId}/circuits`);
    const id = body.circuits.find(({ app }) => app === 'used')?.id ?? '';
    const isThere = async () => (await one.call('GET', `/api/circuit/${id}`)).status === 200;
    const until = Date.now() + 1.5 * TIMEOUT_MS;
    while (Date.now() < until) {
      await use(id, session);
      expect(await isThere()).toBe(true);
    }
    await eventually(async () => expect(await isThere()).toBe(false));
  });
});
