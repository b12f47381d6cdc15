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
import { FakeRouterNode, registration } from '../support/fake-router-node.js';
import { loadVectors } from '../support/vectors.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
  readonly status: number;
  readonly response?: unknown;
}

const { endpoints } = loadVectors<{ endpoints: readonly Exchange[] }>('manager-api.json');
const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';

function vector(name: string): Exchange {
  const found = endpoints.find((exchange) => exchange.name === name);
  if (!found) throw new Error(`no vector ${name}`);
  return found;
}

describe('endpoints', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let node: FakeRouterNode;
  let authority: string;

  beforeEach(async () => {
    authority = uniqueAuthority();
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
    node = await FakeRouterNode.join(coordinator, { authority, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await node.leave();
    await coordinator.stop();
    await database.drop();
  });

  async function replay(name: string): Promise<unknown> {
    const { method, path, body, status, response } = vector(name);
    const answer = await coordinator.call(method, path, body ? { body } : {});
    expect({ name, status: answer.status }).toEqual({ name, status });
    if (response) expect(answer.body).toEqual(response);
    return answer.body;
  }

  async function circuits(): Promise<readonly Circuit[]> {
    const answer = await coordinator.call('GET', `/api/worker/${node.workerId}/circuits`);
    return answer.body.circuits;
  }

  async function onlyCircuit(): Promise<Circuit> {
    const [circuit, ...others] = await circuits();
    expect(others).toEqual([]);
    if (!circuit) throw new Error('no circuit');
    return circuit;
  }

  it('answers the calls of a manager as recorded, one after the other', async () => {
    await replay('create-bulk');
    await replay('create-bulk-legacy-aliases');
    await replay('create-single');
    await replay('routes-replace');
    await replay('routes-replace-with-groups');
    await replay('routes-replace-unknown-endpoint');
    const one = vector('routes-replace').body as { endpoints: { routes: unknown[] }[] };
    const firstOnly = {
      endpoints: one.endpoints.map((item) => ({ ...item, routes: item.routes.slice(0, 1) })),
    };
    await coordinator.call('POST', '/v2/endpoints/bulk/routes', { body: firstOnly });
    await replay('routes-register');
    await replay('routes-unregister');
    await replay('delete-bulk');
    await replay('delete-bulk');
  });

  it('shows a circuit as routers read it', async () => {
    await replay('create-bulk');
    await replay('routes-replace-with-groups');
    const expected = loadVectors<{ circuits: { response: { circuits: Record<string, unknown>[] } } }>(
      'registration.json',
    ).circuits.response.circuits[0];
    const routes = (expected?.route_info as object[]).map((route) => ({ ...route, traffic_ratio: 1 }));
    const circuit = await onlyCircuit();
    expect(circuit).toEqual({
      ...expected,
      id: circuit.id,
      worker: node.workerId,
      created_at: circuit.created_at,
      updated_at: circuit.updated_at,
      version: 2,
      route_info: routes,
    });
    expect((await coordinator.call('GET', `/api/circuit/${circuit.id}`)).body).toEqual(circuit);
  });

  it('tells routers of a new circuit and waits until one has it', async () => {
    await replay('create-bulk');
    const [event] = node.heard(EVENT_NAMES.circuitCreated);
    expect(event?.circuits[0]).toMatchObject({ endpoint_id: ENDPOINT, version: 1, route_info: [] });
    // The second call finds the circuit and has nothing to tell.
    await replay('create-bulk');
    expect(node.heard(EVENT_NAMES.circuitCreated)).toHaveLength(1);
  });

  it('does not fail a creation that no router acknowledges', async () => {
    node.acks = 'never';
    await replay('create-bulk');
    expect(await circuits()).toHaveLength(1);
  });

  it('sends each change of routes with a greater version, and removals above all', async () => {
    await replay('create-bulk');
    await replay('routes-replace');
    await replay('routes-unregister');
    const again = vector('routes-unregister');
    await coordinator.call(again.method, again.path, { body: again.body });
    await coordinator.call('DELETE', `/v2/endpoints/${ENDPOINT}`);
    const removed = await eventually(() => {
      const [event] = node.heard(EVENT_NAMES.circuitRemoved);
      if (!event) throw new Error('not heard yet');
      return event;
    });
    const versions = node.heard(EVENT_NAMES.circuitRouteUpdated).map((event) => event.circuit.version);
    expect(versions).toEqual([2, 3, 3]);
    expect(removed.circuits[0]).toMatchObject({ endpoint_id: ENDPOINT, version: 4 });
    expect(await circuits()).toEqual([]);
  });

  it('keeps what a route call does not name and clears what it names as null', async () => {
    const item = { ...(vector('create-bulk').body as { endpoints: object[] }).endpoints[0] };
    const serving = { served_model: 'meta/llama', capabilities: ['chat'], policy: { tier: 1 } };
    await coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [{ ...item, ...serving }] } });
    const routes = (fields: object) =>
      coordinator.call('POST', '/v2/endpoints/bulk/routes', {
        body: { endpoints: [{ deployment_id: ENDPOINT, routes: [], ...fields }] },
      });
    await routes({});
    expect(await onlyCircuit()).toMatchObject(serving);
    await routes({ served_model: 'other', policy: null });
    const circuit = await onlyCircuit();
    expect(circuit).toMatchObject({ served_model: 'other', capabilities: ['chat'] });
    expect(circuit).not.toHaveProperty('policy');
  });

  it('carries ratio, kernel id and accelerators of a route', async () => {
    await replay('create-bulk');
    const route = {
      route_id: 'e4d3c2b1-6a5b-4c3d-8e2f-000000000041',
      session_id: 'd1e2f3a4-5b6c-4d7e-8f90-000000000051',
      kernel_host: '10.20.0.11',
      kernel_port: 30011,
      traffic_ratio: 0.5,
      kernel_id: 'd1e2f3a4-5b6c-4d7e-8f90-0000000000aa',
      accelerators: { model: 'H100', count: 2 },
    };
    await coordinator.call('POST', '/v2/endpoints/bulk/routes', {
      body: { endpoints: [{ deployment_id: ENDPOINT, routes: [route] }] },
    });
    expect((await onlyCircuit()).route_info[0]).toMatchObject(route);
  });

  it('fails only the item with an impossible port', async () => {
    await replay('create-bulk');
    const [item] = (vector('routes-replace').body as { endpoints: { routes: object[] }[] }).endpoints;
    const bad = { ...item, routes: [{ ...item?.routes[0], kernel_port: 70000 }] };
    const unknown = { ...item, deployment_id: 'a3c1e5d7-2b4f-4a2b-8c3d-00000000eb02' };
    const body = { endpoints: [bad, unknown, item] };
    for (const path of ['/v2/endpoints/bulk/routes', '/v2/endpoints/bulk/routes/register']) {
      const answer = await coordinator.call('POST', path, { body });
      expect(answer.status).toBe(200);
      const outcomes = answer.body.endpoints.map(({ success }) => success);
      expect(outcomes).toEqual([false, false, true]);
      expect(answer.body.endpoints[0]?.error).toContain('kernel_port');
    }
  });

  it('refuses any other mistake in a routes call as a whole', async () => {
    await replay('create-bulk');
    const body = { endpoints: [{ deployment_id: ENDPOINT, routes: [{ kernel_port: 70000 }] }] };
    const answer = await coordinator.call('POST', '/v2/endpoints/bulk/routes', { body });
    expect(answer).toMatchObject({ status: 400, body: { msg: 'Input validation error' } });
  });

  it('spreads endpoints over authorities by number of circuits, then by name, unless pinned', async () => {
    const second = `${authority}-b`;
    await coordinator.call('PUT', '/api/worker', { body: registration(second) });
    const [template] = (vector('create-bulk').body as { endpoints: object[] }).endpoints;
    const id = (n: number) => `a3c1e5d7-2b4f-4a2b-8c3d-0000000000${10 + n}`;
    const items = [0, 1, 2].map((n) => ({ ...template, deployment_id: id(n) }));
    await coordinator.call('POST', '/v2/endpoints/bulk', {
      body: { endpoints: [...items, { ...template, deployment_id: id(3), authority }] },
    });
    expect((await circuits()).map((circuit) => circuit.endpoint_id).sort()).toEqual([id(0), id(2), id(3)]);
  });

  it('keeps nothing of a call with an item that finds no router', async () => {
    const [template] = (vector('create-bulk').body as { endpoints: object[] }).endpoints;
    const other = { ...template, deployment_id: 'a3c1e5d7-2b4f-4a2b-8c3d-00000000eb02', authority: 'nope' };
    const answer = await coordinator.call('POST', '/v2/endpoints/bulk', {
      body: { endpoints: [template, other] },
    });
    expect(answer).toMatchObject({ status: 503, body: { title: 'Worker not available.' } });
    expect(await circuits()).toEqual([]);
  });

  it('answers both when the same id comes twice in one call', async () => {
    const [template] = (vector('create-bulk').body as { endpoints: object[] }).endpoints;
    const answer = await coordinator.call('POST', '/v2/endpoints/bulk', {
      body: { endpoints: [template, template] },
    });
    expect(answer.body.endpoints[0]).toEqual(answer.body.endpoints[1]);
    expect(await circuits()).toHaveLength(1);
  });

  it('takes thousands of endpoints in one call, and their circuits away in another', async () => {
    node.acks = 'never';
    const [template] = (vector('create-bulk').body as { endpoints: object[] }).endpoints;
    const id = (n: number) => `a3c1e5d7-2b4f-4a2b-8c3d-${String(n).padStart(12, '0')}`;
    const body = {
      endpoints: Array.from({ length: 3_000 }, (_none, n) => ({ ...template, deployment_id: id(n) })),
    };
    const answer = await coordinator.call('POST', '/v2/endpoints/bulk', { body });
    expect(answer.status).toBe(200);
    expect(answer.body.endpoints).toHaveLength(3_000);
    const made = await circuits();
    expect(made).toHaveLength(3_000);
    const removal = await coordinator.call('DELETE', '/api/circuit/_/bulk', {
      body: { circuit_ids: made.map((circuit) => circuit.id) },
    });
    expect(removal.body).toEqual({ success: true });
    expect(await circuits()).toEqual([]);
  });

  it('stores a health check, turns it off with null, and answers 404 for an endpoint it does not know', async () => {
    await replay('create-bulk');
    const path = `/v2/endpoints/${ENDPOINT}/health-check`;
    const put = (health_check: object | null, to = path) =>
      coordinator.call('PUT', to, { body: { health_check } });
    expect((await put({ path: '/health', interval: 5 })).body).toEqual({ success: true });
    expect((await put(null)).body).toEqual({ success: true });
    expect((await put(null, path.replace('ea01', 'eb02'))).status).toBe(404);
    expect((await coordinator.call('PUT', path, { body: {} })).status).toBe(400);
  });

  it('serves and removes single circuits by id', async () => {
    await replay('create-bulk');
    const { id } = await onlyCircuit();
    const statistics = await coordinator.call('GET', `/api/circuit/${id}/statistics`);
    expect(statistics.body).toMatchObject({ id, requests: 0, ttl: null });
    expect((await coordinator.call('DELETE', `/api/circuit/${id}`)).body).toEqual({ success: true });
    expect((await coordinator.call('DELETE', `/api/circuit/${id}`)).body.title).toBe(
      'E00002: No such circuit.',
    );
    const bulk = await coordinator.call('DELETE', '/api/circuit/_/bulk', { body: { circuit_ids: id } });
    expect(bulk.body).toEqual({ success: true });
  });

  it('loses no route when two writers change the same endpoint at once', async () => {
    await replay('create-bulk');
    const route = (n: number) => ({
      route_id: `e4d3c2b1-6a5b-4c3d-8e2f-0000000000${10 + n}`,
      session_id: `d1e2f3a4-5b6c-4d7e-8f90-0000000000${10 + n}`,
      kernel_host: '10.20.0.11',
      kernel_port: 30_000 + n,
    });
    const register = (n: number) =>
      coordinator.call('POST', '/v2/endpoints/bulk/routes/register', {
        body: { endpoints: [{ deployment_id: ENDPOINT, routes: [route(n)] }] },
      });
    await Promise.all(Array.from({ length: 20 }, (_none, n) => register(n)));
    const circuit = await onlyCircuit();
    expect(circuit.route_info).toHaveLength(20);
    expect(circuit.version).toBe(21);
  });
});
