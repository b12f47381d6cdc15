import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { hashKey } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';
import { hostCall } from '../../src/testing/host-client.js';
import { BuiltProgram, freePorts } from '../support/built-program.js';
import { TestRouter } from '../support/test-router.js';

const SECRET = 'test-api-secret';
const KEY = 'sk-test-of-both-sides';
const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';

let database: TestDatabase;
let coordinator: BuiltProgram | undefined;
let port: number;
let replica: Server;
let authority: string;
let routers: TestRouter[];

const startCoordinator = async (): Promise<void> => {
  await coordinator?.dispose();
  coordinator = new BuiltProgram('coordinator', {
    host: '127.0.0.1',
    port,
    database_url: database.url,
    redis_url: testRedisUrl(),
    api_secret: SECRET,
    jwt_secret: JWT_SECRET,
    log_level: 'warn',
    shutdown_timeout_ms: 2_000,
  });
  await eventually(
    async () => expect((await fetch(`http://127.0.0.1:${port}/health/readyz`)).status).toBe(200),
    { timeoutMs: 20_000 },
  );
};

const startRouter = async (): Promise<void> => {
  const router = await TestRouter.start({
    authority,
    coordinator: {
      url: `http://127.0.0.1:${port}`,
      api_secret: SECRET,
      backoff_min_ms: 50,
      backoff_max_ms: 200,
    },
    redis_url: testRedisUrl(),
    internal: { host: '127.0.0.1', port: 0, domain: '.internal.test', jwt_secret: JWT_SECRET },
    // Too long for these tests to be healed by the timer.
    reconcile_interval_ms: 600_000,
  });
  routers.push(router);
  await eventually(async () => expect(await router.status()).toMatchObject({ ready: true }));
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
};

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-backendai-token': SECRET, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect({ path, status: response.status, text }).toMatchObject({ path, status: 200 });
  return JSON.parse(text) as Record<string, unknown>;
}

const routersPath = (rest: string) => `/v2/routers/${encodeURIComponent(authority)}/${rest}`;

const putKey = () =>
  call('PUT', routersPath('api-keys/k'), { token_hash: hashKey(KEY), allowed_models: ['m', 'n'] });

const endpointItem = (deployment: string) => ({
  deployment_id: deployment,
  version: 'v2',
  service_name: 'service',
  authority,
  tags: {
    session: { user_uuid: randomUUID(), group_id: randomUUID(), domain_name: 'default' },
    endpoint: { id: deployment, runtime_variant: 'custom', existing_url: null },
  },
  health_check: null,
});

const routesItem = (deployment: string) => ({
  deployment_id: deployment,
  routes: [
    {
      session_id: randomUUID(),
      route_id: randomUUID(),
      kernel_host: '127.0.0.1',
      kernel_port: (replica.address() as AddressInfo).port,
    },
  ],
});

const names = () => Promise.all(routers.map(async (router) => (await router.listModels(KEY)).names));

beforeAll(async () => {
  database = await createTestDatabase('coordinator');
  port = await freePorts();
  replica = createServer((request, response) => {
    request.resume();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"choices":[],"object":"chat.completion"}');
  });
  await new Promise<void>((resolve) => replica.listen(0, '127.0.0.1', resolve));
  await startCoordinator();
}, 60_000);

afterAll(async () => {
  await coordinator?.dispose();
  replica.close();
  await database.drop();
});

beforeEach(async () => {
  authority = uniqueAuthority();
  routers = [];
  await startRouter();
  await startRouter();
});

afterEach(async () => {
  await Promise.all(routers.map((router) => router.stop()));
});

it('serves a publication on both nodes as soon as the coordinator has answered', async () => {
  await putKey();
  const answer = await call('PUT', routersPath('models/m'), { aliases: ['n'], mappings: [] });
  expect(answer.propagation).toMatchObject({ status: 'applied' });
  await eventually(
    async () =>
      expect(await names()).toEqual([
        ['m', 'n'],
        ['m', 'n'],
      ]),
    { timeoutMs: 2_000 },
  );
});

it('confirms a strict revocation by both nodes, and both refuse the key', async () => {
  await putKey();
  await eventually(async () => expect(await names()).toEqual([[], []]));
  const answer = await call('DELETE', routersPath('api-keys/k?strict=true'));
  const ids = await Promise.all(routers.map(async (router) => (await router.status()).node_id));
  expect(answer.strict).toMatchObject({ confirmed: true, unconfirmed_nodes: [] });
  expect((answer.strict as { confirmed_nodes: string[] }).confirmed_nodes.toSorted()).toEqual(ids.toSorted());
  for (const router of routers) expect((await router.listModels(KEY)).status).toBe(401);
});

it('routes a request to a replica the manager registered', async () => {
  const deployment = randomUUID();
  await putKey();
  const created = await call('POST', '/v2/endpoints/bulk?propagation=true', {
    endpoints: [{ ...endpointItem(deployment), served_model: 'served' }],
  });
  const routed = await call('POST', '/v2/endpoints/bulk/routes?propagation=true', {
    endpoints: [routesItem(deployment)],
  });
  for (const answer of [created, routed]) {
    expect(answer.endpoints).toMatchObject([{ propagation: { status: 'applied' } }]);
  }
  await call('PUT', routersPath('models/m'), { mappings: [{ endpoint_id: deployment, ratio: 1 }] });
  for (const router of routers) {
    await eventually(async () => {
      const response = await fetch(`${router.publicUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [] }),
      });
      expect(response.status).toBe(200);
    });
  }
});

it('serves an internal endpoint by its host on the internal listener, and by no name on the public one', async () => {
  const deployment = randomUUID();
  const { endpoints: created } = await call('POST', '/v2/endpoints/bulk', {
    endpoints: [{ ...endpointItem(deployment), visibility: 'internal', requires_token: true }],
  });
  await call('POST', '/v2/endpoints/bulk/routes', { endpoints: [routesItem(deployment)] });
  const { host } = new URL((created as { url: string }[])[0]?.url ?? '');
  const { token } = await call('POST', `/v2/endpoints/${deployment}/token`, {
    user_uuid: randomUUID(),
    exp: Math.floor(Date.now() / 1_000) + 600,
  });
  const path = '/v1/chat/completions';
  const headers = { authorization: `Bearer ${String(token)}` };
  for (const router of routers) {
    const port = router.internalPort ?? 0;
    await eventually(async () => {
      expect(await hostCall(port, { host, path, body: '{}', headers })).toMatchObject({ status: 200 });
    });
    expect(await hostCall(port, { host, path, body: '{}' })).toMatchObject({ status: 401, code: 'E20006' });
    const publicPort = Number(new URL(router.publicUrl).port);
    expect((await hostCall(publicPort, { host, path, body: '{"model":"m"}', headers })).status).toBe(401);
  }
});

it('keeps serving while the coordinator is away, and follows it again when it is back', async () => {
  await putKey();
  await call('PUT', routersPath('models/m'), { mappings: [] });
  await eventually(async () => expect(await names()).toEqual([['m'], ['m']]));
  coordinator?.signal('SIGTERM');
  expect(await coordinator?.exit()).toBe(0);
  expect(await names()).toEqual([['m'], ['m']]);
  await startCoordinator();
  await call('PUT', routersPath('models/n'), { mappings: [] });
  await eventually(async () =>
    expect((await names()).map((list) => list.toSorted())).toEqual([
      ['m', 'n'],
      ['m', 'n'],
    ]),
  );
});
