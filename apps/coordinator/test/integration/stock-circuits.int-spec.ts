import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, type Circuit } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  startPrivateRedis,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { endpointItem, withExistingUrl } from '../support/endpoint-item.js';
import { FakeStockWorker } from '../support/fake-stock-worker.js';
import { stockBodies } from '../support/stock-bodies.js';

const ACK_TIMEOUT_MS = 1_000;
const ROUTE = {
  route_id: 'e4d3c2b1-6a5b-4c3d-8e2f-000000000041',
  session_id: 'd1e2f3a4-5b6c-4d7e-8f90-000000000051',
  kernel_host: '10.20.0.11',
  kernel_port: 30_011,
};

describe('circuits on stock workers', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let bodies: ReturnType<typeof stockBodies>;
  const workers: FakeStockWorker[] = [];

  beforeEach(async () => {
    bodies = stockBodies(uniqueAuthority());
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { ack_timeout_ms: ACK_TIMEOUT_MS },
    });
  });

  afterEach(async () => {
    for (const worker of workers.splice(0)) worker.leave();
    await coordinator.stop();
    await database.drop();
  });

  async function join(kind: 'wildcard' | 'port', fields: object = {}): Promise<FakeStockWorker> {
    const body = { ...bodies[kind], ...fields };
    const worker = await FakeStockWorker.join(coordinator, { redisUrl: testRedisUrl(), body });
    workers.push(worker);
    return worker;
  }

  const create = (...endpoints: object[]) =>
    coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints } });
  const push = (path: string, item: object) =>
    coordinator.call('POST', `/v2/endpoints/bulk/${path}`, { body: { endpoints: [item] } });
  const circuitsOf = async ({ workerId }: FakeStockWorker): Promise<readonly Circuit[]> =>
    (await coordinator.call('GET', `/api/worker/${workerId}/circuits`)).body.circuits;
  const idsHeard = (worker: FakeStockWorker) =>
    worker
      .heard(EVENT_NAMES.circuitCreated)
      .flatMap(({ circuits }) => circuits.map(({ endpoint_id }) => endpoint_id));

  it('announces each circuit of a bulk although the first is not acknowledged, and fails then', async () => {
    const worker = await join('wildcard');
    const [one, two, three] = [endpointItem(), endpointItem(), endpointItem()];
    const acknowledge = worker.acknowledge;
    worker.acknowledge = (circuits) =>
      circuits[0]?.endpoint_id === one.deployment_id ? null : acknowledge(circuits);
    const answer = await create(one, two, three);
    expect(answer).toMatchObject({
      status: 503,
      body: { msg: 'E10001: Proxy worker not responding', data: { worker: worker.authority } },
    });
    expect(idsHeard(worker)).toEqual([one, two, three].map(({ deployment_id }) => deployment_id));
    expect(await circuitsOf(worker)).toHaveLength(3);

    // The repeated call tells of what nobody acknowledged, and of nothing else.
    worker.acknowledge = acknowledge;
    expect((await create(one, two, three)).status).toBe(200);
    expect(idsHeard(worker).slice(3)).toEqual([one.deployment_id]);
    expect((await create(one, two, three)).status).toBe(200);
    expect(idsHeard(worker)).toHaveLength(4);
  });

  it('announces again what a worker missed, once it is there, and lets nobody wait for one that is away', async () => {
    const worker = await join('wildcard');
    const { acknowledge } = worker;
    worker.acknowledge = () => null;
    const item = endpointItem();
    expect((await create(item)).status).toBe(503);
    await worker.deregister(coordinator);
    expect((await create(item)).status).toBe(200);
    await worker.register(coordinator);
    expect((await create(item)).status).toBe(503);
    worker.acknowledge = acknowledge;
    expect((await create(item)).status).toBe(200);
    expect((await create(item)).status).toBe(200);
    expect(idsHeard(worker)).toHaveLength(4);
  });

  it('moves the time of a circuit with each change of its routes', async () => {
    const worker = await join('port');
    const item = endpointItem();
    await create(item);
    const routes = { deployment_id: item.deployment_id, routes: [ROUTE] };
    expect((await push('routes', routes)).body.endpoints).toEqual([
      { deployment_id: item.deployment_id, success: true, error: null },
    ]);
    await eventually(() => expect(worker.heard(EVENT_NAMES.circuitRouteUpdated)).toHaveLength(1));
    const [before] = await circuitsOf(worker);
    await push('routes', { ...routes, routes: [] });
    const [after] = await circuitsOf(worker);
    expect(Date.parse(after?.updated_at ?? '')).toBeGreaterThan(Date.parse(before?.updated_at ?? ''));
  });

  it('announces a circuit anew when its admission changes, which routes do not carry', async () => {
    const worker = await join('wildcard');
    const item = endpointItem();
    await create(item);
    const routes = { deployment_id: item.deployment_id, routes: [ROUTE] };
    await push('routes', { ...routes, requires_token: false, allowed_client_ips: '10.0.0.0/8' });
    const [, anew] = worker.heard(EVENT_NAMES.circuitCreated).flatMap(({ circuits }) => circuits);
    expect(anew).toMatchObject({
      open_to_public: true,
      allowed_client_ips: '10.0.0.0/8',
      subdomain: 'llama-a',
    });
    await push('routes', routes);
    expect(worker.heard(EVENT_NAMES.circuitCreated)).toHaveLength(2);
  });

  it('announces a change of admission until it is acknowledged, however often it takes', async () => {
    const worker = await join('wildcard');
    const { acknowledge } = worker;
    const items = [endpointItem(), endpointItem()];
    await create(...items);
    const closed = items.map(({ deployment_id }) => ({
      deployment_id,
      routes: [ROUTE],
      allowed_client_ips: '10.0.0.0/8',
    }));
    const pushAll = async () =>
      (await coordinator.call('POST', '/v2/endpoints/bulk/routes', { body: { endpoints: closed } })).body
        .endpoints;
    const failed = {
      success: false,
      error: 'Worker propagation failed: E10001: Proxy worker not responding',
    };
    worker.acknowledge = () => null;
    const startedAt = performance.now();
    expect(await pushAll()).toMatchObject([failed, failed]);
    // All of a call at once: one silent worker must not cost a timeout per endpoint.
    expect(performance.now() - startedAt).toBeLessThan(2 * ACK_TIMEOUT_MS);
    expect(await pushAll()).toMatchObject([failed, failed]);
    worker.acknowledge = acknowledge;
    expect(await pushAll()).toMatchObject([{ success: true }, { success: true }]);
    const heard = worker.heard(EVENT_NAMES.circuitCreated).length;
    expect(heard).toBe(8);
    expect(await pushAll()).toMatchObject([{ success: true }, { success: true }]);
    expect(worker.heard(EVENT_NAMES.circuitCreated)).toHaveLength(heard);
  });

  it('prefers wildcard workers, then the port worker with most ports left', async () => {
    const wide = await join('port', {
      authority: `${bodies.port.authority}-wide`,
      port_range: [10_501, 10_504],
    });
    const narrow = await join('port', { port_range: [10_601, 10_602] });
    await create(endpointItem(), endpointItem());
    expect([(await circuitsOf(wide)).length, (await circuitsOf(narrow)).length]).toEqual([2, 0]);
    const wild = await join('wildcard');
    await create(endpointItem());
    expect(await circuitsOf(wild)).toHaveLength(1);
  });

  it('never picks a lost worker, not even for its own address', async () => {
    const port = await join('port', { port_range: [10_501, 10_504] });
    await join('wildcard');
    const item = () => withExistingUrl(endpointItem(), 'http://127.0.0.1:10503/');
    expect((await create(item())).body.endpoints[0]).toMatchObject({ url: 'http://127.0.0.1:10503/' });
    expect((await create(item())).status).toBe(409);
    await port.deregister(coordinator);
    expect((await create(item())).body.endpoints[0]).toMatchObject({
      url: 'http://llama-a.models.example.com:10600/',
    });
    expect((await create({ ...endpointItem(), authority: port.authority })).status).toBe(503);
  });

  it('tells managers of earlier generations an address they can call', async () => {
    await join('port', { hostname: 'fd00::1' });
    const { body } = await coordinator.call('GET', '/v1/api/worker');
    expect(body).toMatchObject([{ endpoint: 'http://[fd00::1]:10201' }]);
  });

  it('lists taken slots in both generations of read-outs', async () => {
    await join('port', { port_range: [10_501, 10_502] });
    await create(endpointItem());
    const [slot, ...others] = (await coordinator.call('GET', '/v1/api/slots')).body as unknown as {
      readonly rel: string;
    }[];
    expect(others).toEqual([]);
    expect(slot).toMatchObject({
      subdomain: null,
      wsproxy_version: 'v2',
      worker__authority: bodies.port.authority,
      circuit__app: 'llama-a',
      circuit__session_id: null,
      circuit__envs: null,
    });
    const { body } = await coordinator.call('GET', '/api/slots?in_use=false');
    const { slots } = body as unknown as {
      readonly slots: readonly { readonly circuit_id: string | null }[];
    };
    expect(slots).toHaveLength(2);
    expect(slots.map(({ circuit_id }) => circuit_id)).toContain(slot?.rel);
  });
});

describe('a stock worker without the event bus', () => {
  it('fails what could not be announced, keeps it, and gets it announced with the repeated call', async () => {
    const [database, redis] = await Promise.all([createTestDatabase('coordinator'), startPrivateRedis()]);
    const coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: redis.url });
    const connected = (expected: boolean) =>
      eventually(async () => {
        const { body } = await coordinator.call('GET', '/health');
        expect(body.connectivity.overall_healthy).toBe(expected);
      });
    const body = stockBodies(uniqueAuthority()).wildcard;
    const worker = await FakeStockWorker.join(coordinator, { redisUrl: redis.url, body });
    await connected(true);
    const [known, fresh] = [endpointItem(), endpointItem()];
    const create = (item: object) =>
      coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    const push = async ({ deployment_id }: { readonly deployment_id: string }) =>
      (
        await coordinator.call('POST', '/v2/endpoints/bulk/routes', {
          body: { endpoints: [{ deployment_id, routes: [ROUTE] }] },
        })
      ).body.endpoints[0];
    expect((await create(known)).status).toBe(200);

    await redis.stop();
    await connected(false);
    expect((await create(fresh)).status).toBe(503);
    expect(await push(known)).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Worker propagation failed: /),
    });

    await redis.start();
    await connected(true);
    await eventually(async () => expect((await create(fresh)).status).toBe(200));
    expect(await push(known)).toMatchObject({ success: true, error: null });
    worker.leave();
    await coordinator.stop();
    await Promise.all([database.drop(), redis.dispose()]);
  });
});
