import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';
import { Redis } from 'ioredis';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { endpointItem } from '../support/endpoint-item.js';
import { registration } from '../support/fake-router-node.js';
import { FakeStockWorker } from '../support/fake-stock-worker.js';
import { stockBodies } from '../support/stock-bodies.js';

describe('life of a stock worker', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let worker: FakeStockWorker;
  let bodies: ReturnType<typeof stockBodies>;

  beforeEach(async () => {
    bodies = stockBodies(uniqueAuthority());
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { worker_heartbeat_timeout_ms: 1_000, liveness_sweep_interval_ms: 100 },
    });
    worker = await FakeStockWorker.join(coordinator, { redisUrl: testRedisUrl(), body: bodies.wildcard });
  });

  afterEach(async () => {
    worker.leave();
    await coordinator.stop();
    await database.drop();
  });

  const create = (item: object = endpointItem()) =>
    coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
  const beat = () => coordinator.call('PATCH', `/api/worker/${worker.workerId}`);
  /** A lost worker is left out of placement, which is all its status means. */
  const lost = () =>
    eventually(
      async () => {
        expect(await create()).toMatchObject({ status: 503, body: { title: 'Worker not available.' } });
      },
      { timeoutMs: 10_000 },
    );

  it('is lost without heartbeats, back with one, and is counted once after a kill and a restart', async () => {
    await lost();
    expect((await beat()).body.nodes).toBe(1);
    expect((await create()).status).toBe(200);
    await lost();
    await worker.register(coordinator);
    expect((await beat()).body.nodes).toBe(1);
    expect((await create()).status).toBe(200);
  });

  it('fails no call and lets none wait once it is lost, although it was killed and never left', async () => {
    const item = endpointItem();
    worker.acknowledge = () => null;
    expect((await create(item)).status).toBe(503);
    await lost();
    expect((await create(item)).status).toBe(200);
    const body = { endpoints: [{ deployment_id: item.deployment_id, routes: [] }] };
    const pushed = await coordinator.call('POST', '/v2/endpoints/bulk/routes', { body });
    expect(pushed.body.endpoints).toMatchObject([{ success: true }]);
  });

  it('leaves by DELETE, which may be repeated, and keeps its id', async () => {
    const { workerId } = worker;
    await worker.deregister(coordinator);
    await worker.deregister(coordinator);
    expect((await coordinator.call('GET', `/api/worker/${workerId}`)).body.nodes).toBe(0);
    expect((await create()).status).toBe(503);
    await worker.register(coordinator);
    expect(worker.workerId).toBe(workerId);
    expect((await coordinator.call('GET', `/api/worker/${workerId}`)).body.nodes).toBe(1);
  });

  it('writes down when it was last heard, where other coordinators look', async () => {
    const redis = new Redis(testRedisUrl(), { db: 2 });
    const seen = Number(await redis.hget('proxy-worker.last_seen', worker.authority));
    expect(Math.abs(seen - Date.now() / 1_000)).toBeLessThan(60);
    redis.disconnect();
  });

  it('refreshes what it accepts when it registers again', async () => {
    const body = { ...bodies.wildcard, accepted_traffics: ['interactive'] };
    const { body: described } = await coordinator.call('PUT', '/api/worker', { body });
    expect(described).toMatchObject({ id: worker.workerId, accepted_traffics: ['interactive'] });
    expect((await create()).status).toBe(503);
  });

  it('does not come back by a heartbeat once a router has taken its place', async () => {
    await worker.deregister(coordinator);
    const body = registration(uniqueAuthority());
    expect((await coordinator.call('PUT', '/api/worker', { body })).status).toBe(200);
    expect((await beat()).status).toBe(200);
    const answer = await coordinator.call('PUT', '/api/worker', { body: bodies.wildcard });
    expect(answer).toMatchObject({ status: 409 });
    const pinned = { ...endpointItem(), authority: worker.authority };
    const created = await coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [pinned] } });
    expect(created.status).toBe(503);
  });
});
