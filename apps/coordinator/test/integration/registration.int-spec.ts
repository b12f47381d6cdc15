import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { loadVectors, withoutGenerated, withPlaceholders } from '../support/vectors.js';

interface Exchange {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly existing?: readonly unknown[];
  readonly body: Record<string, unknown>;
  readonly status: number;
  readonly title?: string;
  readonly response?: Record<string, unknown>;
}

interface Vectors {
  readonly register: readonly Exchange[];
  readonly reject: readonly Exchange[];
  readonly accept_colocation: readonly Exchange[];
  readonly worker_detail: { readonly response: unknown };
}

const vectors = loadVectors<Vectors>('registration.json');
const named = (name: string) => {
  const found = [...vectors.register, ...vectors.reject].find((exchange) => exchange.name === name);
  if (!found) throw new Error(`no vector ${name}`);
  return found;
};

describe('registration', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  // Liveness lives in a Redis that other tests share, so every run has authorities of its own.
  let ours: <T>(value: T) => T;

  beforeEach(async () => {
    const suffix = uniqueAuthority();
    ours = (value) =>
      withPlaceholders(value, {
        'router-seoul-1': `router-${suffix}`,
        'wild-seoul-1': `wild-${suffix}`,
        'port-seoul-1': `port-${suffix}`,
      });
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const put = (body: unknown) => coordinator.call('PUT', '/api/worker', { body });

  it.each(vectors.register.filter(({ name }) => name !== 'router-second-node'))(
    'answers as recorded: $name',
    async ({ body, status, response }) => {
      const answer = await put(ours(body));
      expect(answer.status).toBe(status);
      expect(withoutGenerated(answer.body)).toEqual(withoutGenerated(ours(response)));
    },
  );

  it('gives every node of an authority the same id and counts them', async () => {
    const first = await put(ours(named('router').body));
    const second = await put(ours(named('router-second-node').body));
    expect(second.body).toMatchObject({ id: first.body.id, nodes: 2 });
    expect(second.body.created_at).toBe(first.body.created_at);
    const again = await put(ours(named('router-second-node').body));
    expect(again.body.nodes).toBe(2);
  });

  // `old-python-coordinator` is the refusal of a release that knows no routers.
  it.each(vectors.reject.filter(({ name }) => name !== 'old-python-coordinator'))(
    'refuses: $name',
    async ({ existing = [], headers, body, status, response, title }) => {
      for (const before of existing) expect((await put(ours(before))).status).toBe(200);
      const answer = await coordinator.call('PUT', '/api/worker', {
        body: ours(body),
        ...(headers && { headers }),
      });
      expect(answer.status).toBe(status);
      if (response) expect(answer.body).toEqual(ours(response));
      if (title) expect(answer.body.title).toBe(title);
    },
  );

  it.each(vectors.accept_colocation)('accepts: $name', async ({ existing = [], body }) => {
    for (const before of existing) await put(ours(before));
    expect((await put(ours(body))).status).toBe(200);
  });

  it('refuses a router that wants interactive traffic or another protocol', async () => {
    const body = ours(named('router').body);
    expect((await put({ ...body, accepted_traffics: ['inference', 'interactive'] })).status).toBe(400);
    expect((await put({ ...body, protocol: 'tcp' })).status).toBe(400);
  });

  it('keeps what a router says of its internal listener', async () => {
    const internal_frontend = { host: '10.0.0.5', port: 8443, domain: '.internal.example' };
    const answer = await put({ ...ours(named('router').body), internal_frontend });
    expect(answer.body.internal_frontend).toEqual(internal_frontend);
  });

  it('tells all missing fields of a registration at once', async () => {
    const answer = await put({ authority: 'x' });
    expect(answer.status).toBe(400);
    const missing = answer.body.data.errors.map(({ loc }) => loc[0]);
    expect(missing).toEqual(expect.arrayContaining(['frontend_mode', 'protocol', 'hostname', 'api_port']));
  });

  it('lets one of two contenders win when a router and a stock worker register at once', async () => {
    const answers = await Promise.all([
      put(ours(named('router').body)),
      put(ours(named('stock-wildcard').body)),
      put(ours(named('router').body)),
      put(ours(named('stock-wildcard').body)),
    ]);
    const { body } = await coordinator.call('GET', '/api/worker');
    expect(body.workers).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
  });
});

describe('life of a node', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  const body = {
    ...named('router').body,
    authority: uniqueAuthority(),
    address: '10.9.0.1:8080',
    version: '0.1.0',
  };
  const nodeId = String(named('router').body.node_id);

  beforeEach(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const register = async () => {
    const answer = await coordinator.call('PUT', '/api/worker', { body });
    return String(answer.body.id);
  };

  it('shows each node in the detail of its worker', async () => {
    const id = await register();
    await coordinator.call('PATCH', `/api/worker/${id}`, { body: { node_id: nodeId, revision: '7' } });
    const answer = await coordinator.call('GET', `/api/worker/${id}`);
    const expected = withPlaceholders(vectors.worker_detail.response, { 'router-seoul-1': body.authority });
    const { node_details, ...worker } = answer.body;
    const { node_details: expectedNodes, ...expectedWorker } = expected as Record<string, unknown>;
    expect(withoutGenerated(worker)).toEqual(withoutGenerated(expectedWorker));
    expect(withoutGenerated(node_details)).toEqual([
      { ...(withoutGenerated(expectedNodes) as object[])[0], revision: '7' },
    ]);
  });

  it('takes the empty octet-stream heartbeat of a stock worker', async () => {
    const id = await register();
    const headers = { 'x-backendai-token': 'test-api-secret', 'content-type': 'application/octet-stream' };
    const answer = await coordinator.call('PATCH', `/api/worker/${id}`, { rawBody: '', headers });
    expect(answer).toMatchObject({ status: 200, body: { id, nodes: 1 } });
  });

  it.each([
    ['in the query', `?node_id=${nodeId}`, undefined],
    ['in the body', '', { node_id: nodeId }],
  ])('lets a node leave that names itself %s', async (_where, query, leaving) => {
    const id = await register();
    const path = `/api/worker/${id}${query}`;
    const answer = await coordinator.call('DELETE', path, leaving ? { body: leaving } : {});
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const after = await coordinator.call('GET', `/api/worker/${id}`);
    expect(after.body).toMatchObject({ nodes: 0, node_details: [] });
  });

  it.each(['GET', 'PATCH', 'DELETE'])(
    'answers 404 to %s of an unknown worker and 400 to no UUID',
    async (method) => {
      const unknown = await coordinator.call(method, '/api/worker/00000000-0000-4000-8000-000000000000');
      expect(unknown).toMatchObject({ status: 404, body: { title: 'E00002: No such worker.' } });
      expect((await coordinator.call(method, '/api/worker/nope')).status).toBe(400);
    },
  );

  it('keeps the worker and its id when the last node left and another comes', async () => {
    const id = await register();
    await coordinator.call('DELETE', `/api/worker/${id}?node_id=${nodeId}`);
    expect(await register()).toBe(id);
  });
});
