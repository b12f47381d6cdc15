import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  startPrivateRedis,
  uniqueAuthority,
  type PrivateService,
  type TestDatabase,
} from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const CREATE = '/v2/endpoints/bulk';
const ROUTES = '/v2/endpoints/bulk/routes';

describe('what a change of an endpoint came to', () => {
  let database: TestDatabase;
  let redis: PrivateService;
  let coordinator: CoordinatorInstance;
  let node: FakeRouterNode;
  let authority: string;
  let id: string;

  beforeEach(async () => {
    authority = uniqueAuthority();
    id = randomUUID();
    [database, redis] = await Promise.all([createTestDatabase('coordinator'), startPrivateRedis()]);
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: redis.url });
    node = await FakeRouterNode.join(coordinator, { authority, redisUrl: redis.url });
    await busConnected(true);
  });

  afterEach(async () => {
    await node.leave();
    await coordinator.stop();
    await Promise.all([database.drop(), redis.dispose()]);
  });

  async function busConnected(connected: boolean): Promise<void> {
    await eventually(async () => {
      const { body } = await coordinator.call('GET', '/health');
      expect(body.connectivity.overall_healthy).toBe(connected);
    });
  }

  const session = { user_uuid: randomUUID(), project_id: randomUUID(), domain_name: 'default' };
  const endpoint = () => ({
    deployment_id: id,
    service_name: 'svc',
    tags: { session, endpoint: { id } },
    authority,
  });
  const route = (n: number) => ({
    route_id: `e4d3c2b1-6a5b-4c3d-8e2f-00000000000${n}`,
    session_id: `d1e2f3a4-5b6c-4d7e-8f90-00000000000${n}`,
    kernel_host: '10.20.0.11',
    kernel_port: 30_000 + n,
  });
  const routes = (...numbers: number[]) => ({ deployment_id: id, routes: numbers.map(route) });

  async function change(method: string, path: string, item: object, query = '?propagation=true') {
    const body = { endpoints: [item] };
    const answer = await coordinator.call(method, `${path}${query}`, { body });
    expect(answer.status).toBe(200);
    return answer.body.endpoints[0]?.propagation;
  }

  it('is applied once a router acknowledged, unchanged when it was like that before', async () => {
    expect(await change('POST', CREATE, endpoint())).toMatchObject({ status: 'applied' });
    expect(await change('POST', CREATE, endpoint())).toEqual({ status: 'unchanged', waited_ms: 0 });
    const calls = [
      [ROUTES, routes(1, 2), 'applied'],
      [ROUTES, routes(1, 2), 'unchanged'],
      [`${ROUTES}/register`, routes(3), 'applied'],
      [`${ROUTES}/unregister`, { deployment_id: id, route_ids: [route(3).route_id] }, 'applied'],
      [`${ROUTES}/unregister`, { deployment_id: id, route_ids: [route(3).route_id] }, 'unchanged'],
    ] as const;
    for (const [path, item, status] of calls) {
      expect({ path, propagation: await change('POST', path, item) }).toMatchObject({
        path,
        propagation: { status },
      });
    }
    expect(await change('DELETE', CREATE, endpoint())).toMatchObject({
      status: 'deferred',
      reason: 'announced',
    });
    expect(await change('DELETE', CREATE, endpoint())).toMatchObject({ status: 'unchanged' });
  });

  it('is not told, nor waited for, where nobody asked', async () => {
    node.acks = 'never';
    expect(await change('POST', CREATE, endpoint(), '')).toBeUndefined();
    expect(await change('POST', ROUTES, routes(1), '?propagation=no')).toBeUndefined();
    expect(await change('DELETE', CREATE, endpoint(), '')).toBeUndefined();
    const unreadable = await coordinator.call('POST', `${ROUTES}?propagation=maybe`, {
      body: { endpoints: [] },
    });
    expect(unreadable.status).toBe(400);
  });

  it('is deferred while nobody acknowledges', async () => {
    node.acks = 'never';
    const deferred = { status: 'deferred', reason: 'awaiting_ack' };
    expect(await change('POST', CREATE, endpoint())).toMatchObject(deferred);
    expect(await change('POST', ROUTES, routes(1))).toMatchObject(deferred);
  });

  it('is deferred at once without a live node', async () => {
    await coordinator.call('DELETE', `/api/worker/${node.workerId}?node_id=${node.nodeId}`);
    const deferred = { status: 'deferred', reason: 'no_live_node', waited_ms: 0 };
    expect(await change('POST', CREATE, endpoint())).toEqual(deferred);
    expect(await change('POST', ROUTES, routes(1))).toEqual(deferred);
    expect(await change('DELETE', CREATE, endpoint())).toEqual(deferred);
  });

  it('is deferred at once while Redis is away', async () => {
    await redis.stop();
    await busConnected(false);
    const deferred = { status: 'deferred', reason: 'bus_unavailable', waited_ms: 0 };
    expect(await change('POST', CREATE, endpoint())).toEqual(deferred);
    expect(await change('POST', ROUTES, routes(1))).toEqual(deferred);
    expect(await change('DELETE', CREATE, endpoint())).toEqual(deferred);
  });

  it('travels with the trace context of the call that made it', async () => {
    const headers = { 'x-backendai-token': 'test-api-secret', traceparent: TRACEPARENT };
    await coordinator.call('POST', CREATE, { body: { endpoints: [endpoint()] }, headers });
    await coordinator.call('POST', ROUTES, { body: { endpoints: [routes(1)] }, headers });
    await coordinator.call('DELETE', `/v2/endpoints/${id}`, { headers });
    await eventually(() => expect(node.heard(EVENT_NAMES.circuitRemoved)).toHaveLength(1));
    expect(node.traces).toEqual([TRACEPARENT, TRACEPARENT, TRACEPARENT]);
  });

  /** A coordinator that dies between commit and broadcast leaves what one without a bus leaves: rows, and no event. */
  it('reaches routers by pull when the event was lost and the repeated call finds nothing to do', async () => {
    const model = `/v2/routers/${authority}/models/m`;
    const body = { mappings: [{ endpoint_id: id, ratio: 1 }] };
    const known = `/api/worker/${node.workerId}/router-config?known_revision=0`;
    expect((await coordinator.call('GET', known)).status).toBe(304);
    await redis.stop();
    await busConnected(false);
    await change('POST', CREATE, endpoint());
    await change('POST', ROUTES, routes(1));
    await coordinator.call('PUT', model, { body });
    await redis.start();
    await busConnected(true);
    const again = await coordinator.call('PUT', model, { body });
    expect(again.body.propagation).toMatchObject({ status: 'unchanged', revision: '1' });
    expect(await change('POST', CREATE, endpoint())).toMatchObject({ status: 'unchanged' });
    expect(node.heard(EVENT_NAMES.circuitCreated)).toEqual([]);
    expect(node.heard(EVENT_NAMES.routerModelUpdated)).toEqual([]);
    expect((await coordinator.call('GET', known)).body).toMatchObject({
      revision: '1',
      models: [{ model: 'm' }],
    });
    const { circuits } = (await coordinator.call('GET', `/api/worker/${node.workerId}/circuits`)).body;
    expect(circuits).toMatchObject([{ endpoint_id: id, route_info: [{ kernel_port: 30_001 }] }]);
  });
});
