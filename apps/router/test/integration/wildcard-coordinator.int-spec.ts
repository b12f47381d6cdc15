import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';
import { hostCall } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { BuiltProgram, freePorts } from '../support/built-program.js';
import { TestRouter } from '../support/test-router.js';

const API_SECRET = 'test-api-secret';
const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';

let database: TestDatabase;
let coordinator: BuiltProgram;
let port: number;
let upstream: ScriptedUpstream;
let authority: string;
let routers: TestRouter[];

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-backendai-token': API_SECRET, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect({ path, status: response.status, text }).toMatchObject({ path, status: 200 });
  return JSON.parse(text) as Record<string, unknown>;
}

async function startRouter(): Promise<void> {
  const router = await TestRouter.start({
    authority,
    mode: 'wildcard',
    wildcard: { domain: '.models.test', jwt_secret: JWT_SECRET },
    internal: { host: '127.0.0.1', port: 0, domain: '.internal.test', jwt_secret: JWT_SECRET },
    coordinator: {
      url: `http://127.0.0.1:${port}`,
      api_secret: API_SECRET,
      backoff_min_ms: 50,
      backoff_max_ms: 200,
    },
    redis_url: testRedisUrl(),
    reconcile_interval_ms: 600_000,
  });
  routers.push(router);
  await eventually(async () => expect(await router.status()).toMatchObject({ ready: true }));
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
}

/** Creates an endpoint with a replica. @returns its host and id */
async function deploy(over: object): Promise<{ readonly id: string; readonly host: string }> {
  const id = randomUUID();
  const { endpoints } = await call('POST', '/v2/endpoints/bulk', {
    endpoints: [
      {
        deployment_id: id,
        service_name: 'llama',
        authority,
        tags: {
          session: { user_uuid: randomUUID(), group_id: randomUUID(), domain_name: 'default' },
          endpoint: { id, runtime_variant: 'custom', existing_url: null },
        },
        health_check: null,
        ...over,
      },
    ],
  });
  await call('POST', '/v2/endpoints/bulk/routes', {
    endpoints: [
      {
        deployment_id: id,
        routes: [
          {
            session_id: randomUUID(),
            route_id: randomUUID(),
            kernel_host: '127.0.0.1',
            kernel_port: upstream.port,
          },
        ],
      },
    ],
  });
  return { id, host: new URL((endpoints as { url: string }[])[0]?.url ?? '').host };
}

async function mint(endpointId: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const { token } = await call('POST', `/v2/endpoints/${endpointId}/token`, { user_uuid: randomUUID(), exp });
  return `Bearer ${String(token)}`;
}

const publicPort = (router: TestRouter) => Number(new URL(router.publicUrl).port);

beforeAll(async () => {
  database = await createTestDatabase('coordinator');
  port = await freePorts();
  upstream = await new ScriptedUpstream().listen();
  coordinator = new BuiltProgram('coordinator', {
    host: '127.0.0.1',
    port,
    database_url: database.url,
    redis_url: testRedisUrl(),
    api_secret: API_SECRET,
    jwt_secret: JWT_SECRET,
    log_level: 'warn',
    shutdown_timeout_ms: 2_000,
  });
  await eventually(
    async () => expect((await fetch(`http://127.0.0.1:${port}/health/readyz`)).status).toBe(200),
    { timeoutMs: 20_000 },
  );
}, 60_000);

afterAll(async () => {
  await coordinator.dispose();
  await upstream.close();
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

it('serves a private endpoint on both nodes at the address the coordinator gave, with the token it minted', async () => {
  const { id, host } = await deploy({ open_to_public: false });
  const authorization = await mint(id);
  const path = '/v1/chat/completions';
  for (const router of routers) {
    const ask = (headers: Record<string, string>) =>
      hostCall(publicPort(router), { host, path, body: '{}', headers });
    await eventually(async () => expect(await ask({ authorization })).toMatchObject({ status: 200 }));
    expect(await ask({})).toMatchObject({ status: 401, code: 'E20006' });
    const other = `Bearer ${signHs256({ id: randomUUID() }, JWT_SECRET)}`;
    expect(await ask({ authorization: other })).toMatchObject({ status: 401, code: 'E20009' });
  }
  await call('DELETE', '/v2/endpoints/bulk', { endpoints: [{ deployment_id: id }] });
  for (const router of routers) {
    await eventually(async () =>
      expect(await hostCall(publicPort(router), { host, path })).toMatchObject({ status: 404 }),
    );
  }
});

it('serves an internal endpoint on the internal listener alone', async () => {
  const { id, host } = await deploy({ visibility: 'internal' });
  expect(host).toMatch(/\.internal\.test(?::\d+)?$/);
  const headers = { authorization: await mint(id) };
  const label = host.split('.')[0] ?? '';
  for (const router of routers) {
    await eventually(async () =>
      expect(await hostCall(router.internalPort ?? 0, { host, headers })).toMatchObject({ status: 200 }),
    );
    for (const outside of [host, `${label}.models.test`, 'models.test']) {
      const got = await hostCall(publicPort(router), { host: outside, headers });
      expect([outside, got.status]).toEqual([outside, outside === 'models.test' ? 401 : 404]);
    }
  }
});

it('tells the coordinator how circuits are used', async () => {
  const { id, host } = await deploy({ open_to_public: true });
  for (const router of routers) {
    await eventually(async () =>
      expect(await hostCall(publicPort(router), { host, path: '/any' })).toMatchObject({ status: 200 }),
    );
  }
  const { worker_id } = (await routers[0]?.status())?.coordinator ?? {};
  const { circuits } = await call('GET', `/api/worker/${String(worker_id)}/circuits`);
  const circuit = (circuits as { id: string; endpoint_id: string }[]).find((c) => c.endpoint_id === id);
  await eventually(async () => {
    const statistics = await call('GET', `/api/circuit/${String(circuit?.id)}/statistics`);
    expect(Number(statistics.requests)).toBeGreaterThanOrEqual(2);
  });
});
