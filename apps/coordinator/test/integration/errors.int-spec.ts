import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, type TestDatabase } from '@penstock/testkit';

import type { Answer } from '../support/answer.js';
import { API_SECRET, CoordinatorInstance, type Call } from '../support/coordinator-instance.js';
import { loadVectors } from '../support/vectors.js';

const { cases } = loadVectors<{ cases: readonly { name: string; status: number; body: unknown }[] }>(
  'errors.json',
);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const ROUTES: readonly (readonly [string, string])[] = [
  ['PUT', '/api/worker'],
  ['GET', '/api/worker'],
  ['GET', `/api/worker/${UNKNOWN}`],
  ['PATCH', `/api/worker/${UNKNOWN}`],
  ['DELETE', `/api/worker/${UNKNOWN}`],
  ['GET', `/api/worker/${UNKNOWN}/circuits`],
  ['GET', `/api/worker/${UNKNOWN}/router-config`],
  ['GET', `/api/circuit/${UNKNOWN}`],
  ['GET', `/api/circuit/${UNKNOWN}/statistics`],
  ['DELETE', `/api/circuit/${UNKNOWN}`],
  ['DELETE', '/api/circuit/_/bulk'],
  ['GET', '/api/slots'],
  ['GET', '/v1/api/worker'],
  ['DELETE', `/v1/api/circuit/${UNKNOWN}`],
  ['POST', `/v2/endpoints/${UNKNOWN}`],
  ['POST', '/v2/endpoints/bulk'],
  ['DELETE', `/v2/endpoints/${UNKNOWN}`],
  ['DELETE', '/v2/endpoints/bulk'],
  ['POST', '/v2/endpoints/bulk/routes'],
  ['POST', '/v2/endpoints/bulk/routes/register'],
  ['POST', '/v2/endpoints/bulk/routes/unregister'],
  ['PUT', `/v2/endpoints/${UNKNOWN}/health-check`],
  ['POST', `/v2/endpoints/${UNKNOWN}/token`],
  ['PUT', `/v2/endpoints/${UNKNOWN}/upstream`],
  ['GET', `/v2/endpoints/${UNKNOWN}/lineage`],
  ['POST', '/v2/conf'],
  ['GET', `/api/worker/token/${UNKNOWN}`],
  ['GET', '/v2/routers/nope/models'],
  ['PUT', '/v2/routers/nope/models/m'],
  ['DELETE', '/v2/routers/nope/models/m'],
  ['GET', '/v2/routers/nope/api-keys'],
  ['PUT', '/v2/routers/nope/api-keys/k'],
  ['DELETE', '/v2/routers/nope/api-keys/k'],
  ['GET', '/health/status'],
];
const WITH_BODY = ROUTES.filter(([method]) => method === 'PUT' || method === 'POST');

describe('error answers', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { body_limit_bytes: 4096 },
    });
  });

  afterAll(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const secret = { 'x-backendai-token': API_SECRET };
  const provoke: Readonly<Record<string, readonly [string, string, Call?]>> = {
    unauthorized: ['GET', '/api/worker', { headers: {} }],
    'unsupported-auth-method': ['GET', '/api/worker', { headers: { authorization: 'Basic x' } }],
    'worker-not-found': ['GET', `/api/worker/${UNKNOWN}`],
    'circuit-not-found': ['GET', `/api/circuit/${UNKNOWN}`],
    'url-not-found': ['GET', '/nope', { headers: {} }],
    'malformed-body': ['PUT', '/api/worker', { rawBody: '{"authority":', headers: secret }],
    'no-worker-available': ['POST', `/v2/endpoints/${UNKNOWN}`, { body: endpointBody() }],
  };

  it.each(Object.entries(provoke))('answers as recorded: %s', async (name, [method, path, call]) => {
    const answer = await coordinator.call(method, path, call);
    const expected = cases.find((one) => one.name === name);
    expect(answer.status).toBe(expected?.status);
    expect(answer.body).toEqual(expected?.body);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('server')).toBe('BackendAI');
  });

  it('tells a wrong method and which ones there are', async () => {
    const answer = await coordinator.call('POST', '/api/worker', { body: {} });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('PUT');
    expect(answer.body).toMatchObject({
      title: 'HTTP Method Not Allowed.',
      data: { allowed_methods: expect.arrayContaining(['GET', 'PUT']) },
    });
  });

  it.each(ROUTES)('wants the secret for %s %s', async (method, path) => {
    const answer = await coordinator.call(method, path, { headers: {} });
    expect(answer).toMatchObject({ status: 401, body: { msg: 'Unauthorized access' } });
  });

  it.each(ROUTES)('turns nothing a caller sends into a crash: %s %s', async (method, path) => {
    const bodies: Call[] = [
      {},
      { body: { authority: 7, endpoints: 'x', aliases: { a: 1 }, mappings: [null], circuit_ids: [1] } },
      { body: { endpoints: [null, 1, 'x', {}] } },
      { rawBody: '\u0000\ufffd{', headers: secret },
      { rawBody: '[]', headers: secret },
    ];
    for (const call of method === 'GET' ? bodies.slice(0, 1) : bodies)
      expectClean(await coordinator.call(method, path, call));
    expectClean(await coordinator.call(method, `${path}?strict[]=1&known_revision=%00&node_id=`));
  });

  it.each(WITH_BODY)('names the fields that are wrong: %s %s', async (method, path) => {
    const answer = await coordinator.call(method, path, {
      body: { mappings: [{ endpoint_id: 'no' }], token_hash: 'no', health_check: 1 },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.data.errors[0]).toEqual({
      type: expect.any(String),
      loc: expect.any(Array),
      msg: expect.any(String),
    });
  });

  it.each(WITH_BODY)('refuses a body over the limit: %s %s', async (method, path) => {
    const answer = await coordinator.call(method, path, { body: { x: 'x'.repeat(5_000) } });
    expect(answer.status).toBe(413);
  });

  it('takes the text NUL, which PostgreSQL cannot store, for a mistake of the caller', async () => {
    const paths = [
      '/v2/routers/a%00b/models/m',
      '/v2/routers/nope/models/a%00b',
      '/v2/routers/nope/api-keys/a%00b',
    ];
    for (const path of paths) expectClean(await coordinator.call('DELETE', path));
  });

  it('answers status and health without the secret, metrics to allowed addresses', async () => {
    for (const path of ['/status', '/health', '/health/livez', '/health/readyz', '/metrics']) {
      expect({ path, status: (await coordinator.call('GET', path, { headers: {} })).status }).toEqual({
        path,
        status: 200,
      });
    }
    expect((await coordinator.call('GET', '/status')).body).toEqual({
      api_version: 'v2',
      advertise_address: coordinator.url,
    });
  });

  it('shows no metrics to other addresses', async () => {
    const strict = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { metric_access_allowed_hosts: ['10.0.0.0/8'] },
    });
    expect((await strict.call('GET', '/metrics')).status).toBe(403);
    await strict.stop();
  });

  function expectClean({ status, body }: Answer): void {
    expect({ status, body, crashed: status === 500 }).toEqual({ status, body, crashed: false });
  }
});

function endpointBody(): object {
  return {
    service_name: 's',
    tags: { session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' }, endpoint: { id: UNKNOWN } },
  };
}
