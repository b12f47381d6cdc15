import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, type Circuit } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { endpointItem } from '../support/endpoint-item.js';
import { FakeRouterNode, registration } from '../support/fake-router-node.js';
import { FakeStockWorker } from '../support/fake-stock-worker.js';
import { stockBodies } from '../support/stock-bodies.js';

const internal_frontend = { host: '10.0.0.5', port: 10_440, domain: '.internal.example' };

describe('internal circuits', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let authority: string;

  beforeEach(async () => {
    authority = uniqueAuthority();
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const create = (...endpoints: object[]) =>
    coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints } });
  const internal = (fields: object = {}) => endpointItem({ visibility: 'internal', ...fields });
  const register = (body: object) => coordinator.call('PUT', '/api/worker', { body });
  const circuits = async (workerId: string): Promise<readonly Circuit[]> =>
    (await coordinator.call('GET', `/api/worker/${workerId}/circuits`)).body.circuits;
  const pushRoutes = async (item: object) =>
    (await coordinator.call('POST', '/v2/endpoints/bulk/routes', { body: { endpoints: [item] } })).body
      .endpoints[0];

  describe('on a router', () => {
    let node: FakeRouterNode;

    beforeEach(async () => {
      const options = { authority, redisUrl: testRedisUrl() };
      node = await FakeRouterNode.join(coordinator, options, { internal_frontend });
    });

    afterEach(() => node.leave());

    const publish = (endpoint_id: string) =>
      coordinator.call('PUT', `/v2/routers/${authority}/models/m`, {
        body: { mappings: [{ endpoint_id, ratio: 1 }] },
      });

    it('have a cluster-local address and a label of their own, and say what they are', async () => {
      const answer = await create(internal(), internal({ requires_token: false }));
      const urls = answer.body.endpoints as unknown as readonly { readonly url: string }[];
      expect(urls[0]?.url).toBe('http://llama-a.internal.example:10440/');
      expect(urls[1]?.url).toMatch(/^http:\/\/llama-a-[0-9a-f]{8}\.internal\.example:10440\/$/);
      const common = { visibility: 'internal', open_to_public: false, port: null };
      const [guarded, open] = [...(await circuits(node.workerId))].sort(
        (left, right) => Number(right.requires_token) - Number(left.requires_token),
      );
      expect(guarded).toMatchObject({ ...common, subdomain: 'llama-a', requires_token: true });
      expect(open).toMatchObject({ ...common, requires_token: false });
    });

    it('are on no public surface, whichever comes first', async () => {
      const item = internal();
      await create(item);
      expect(await publish(item.deployment_id)).toMatchObject({
        status: 400,
        body: { data: { endpoint_ids: [item.deployment_id] } },
      });
      const later = internal();
      expect((await publish(later.deployment_id)).status).toBe(200);
      expect(await create(later)).toMatchObject({
        status: 409,
        body: { data: { endpoint_id: later.deployment_id, publications: ['m'] } },
      });
      expect((await create({ ...later, visibility: 'public' })).status).toBe(200);
      const edit = { deployment_id: later.deployment_id, routes: [], visibility: 'internal' };
      expect(await pushRoutes(edit)).toMatchObject({ success: false, error: expect.stringContaining('m') });
    });

    it('become public and internal again under the same id', async () => {
      const item = internal({ allowed_client_ips: '10.0.0.0/8' });
      await create(item);
      const edit = { deployment_id: item.deployment_id, routes: [] };
      expect(await pushRoutes({ ...edit, visibility: 'public' })).toMatchObject({ success: true });
      const [open] = await circuits(node.workerId);
      expect(open).toMatchObject({ subdomain: null, allowed_client_ips: '10.0.0.0/8', version: 2 });
      expect(open).not.toHaveProperty('visibility');
      await pushRoutes({ ...edit, visibility: 'INTERNAL', requires_token: false });
      expect(await circuits(node.workerId)).toMatchObject([
        { id: open?.id, visibility: 'internal', requires_token: false, subdomain: 'llama-a', version: 3 },
      ]);
      await eventually(() => expect(node.heard(EVENT_NAMES.circuitRouteUpdated)).toHaveLength(2));
    });

    it('keep nodes away that have no place for them', async () => {
      await create(internal());
      expect(await register(registration(authority))).toMatchObject({
        status: 400,
        body: { title: 'Frontend configuration is missing.', msg: expect.stringContaining('internal') },
      });
      expect((await register({ ...registration(authority), internal_frontend })).status).toBe(200);
    });
  });

  it('wait for a worker that announced an internal frontend', async () => {
    const worker = await FakeStockWorker.join(coordinator, {
      redisUrl: testRedisUrl(),
      body: stockBodies(authority).wildcard,
    });
    expect(await create(internal())).toMatchObject({ status: 503, body: { title: 'Worker not available.' } });
    const item = endpointItem();
    await create(item);
    expect(
      await pushRoutes({ deployment_id: item.deployment_id, routes: [], visibility: 'internal' }),
    ).toMatchObject({
      success: false,
      error: 'Worker not available.',
    });
    worker.leave();
  });

  it('keep their label when they move between the frontends of a wildcard worker', async () => {
    const body = { ...stockBodies(authority).wildcard, internal_frontend };
    const worker = await FakeStockWorker.join(coordinator, { redisUrl: testRedisUrl(), body });
    const item = endpointItem();
    await create(item);
    const [before] = await circuits(worker.workerId);
    for (const visibility of ['internal', 'public']) {
      await pushRoutes({ deployment_id: item.deployment_id, routes: [], visibility });
      expect(await circuits(worker.workerId)).toMatchObject([{ subdomain: before?.subdomain }]);
    }
    expect(before?.subdomain).toBe('llama-a');
    worker.leave();
  });

  it('take no slot of a port worker, and are in none of its lists', async () => {
    const body = { ...stockBodies(authority).port, port_range: [10_501, 10_501] as const, internal_frontend };
    const worker = await FakeStockWorker.join(coordinator, { redisUrl: testRedisUrl(), body });
    expect((await create(internal(), internal(), endpointItem())).status).toBe(200);
    expect(await circuits(worker.workerId)).toHaveLength(3);
    const { body: described } = await coordinator.call('GET', `/api/worker/${worker.workerId}`);
    expect(described).toMatchObject({ available_slots: 1, occupied_slots: 1 });
    expect((await coordinator.call('GET', '/v1/api/slots')).body).toHaveLength(1);
    worker.leave();
  });
});
