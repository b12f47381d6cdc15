import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyHs256 } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance, type Call } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { portWorker, WILDCARD_WORKER } from '../support/interactive-session.js';
import { loadVectors } from '../support/vectors.js';

interface Attempt {
  readonly header: Readonly<Record<string, string>>;
  readonly result: 'accept' | 'reject';
}

const jwt = loadVectors<{
  readonly jwt_secret: string;
  readonly circuit_token: { readonly claims: Readonly<Record<string, unknown>> };
  readonly control_plane_header: readonly Attempt[];
  readonly coordinator_bearer: { readonly authorization: string };
}>('jwt.json');

const redisUrl = testRedisUrl();
const USER = 'c0ffee00-7a1b-4c2d-9e3f-000000000777';
const EXPIRY = '2030-01-01T00:00:00Z';
const EXPIRY_SECONDS = 1_893_456_000;
const INFERENCE = { accepted_traffics: ['inference'] };

describe('the credential of the control plane', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl });
  });

  afterAll(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const bearer: Attempt = {
    header: { Authorization: jwt.coordinator_bearer.authorization },
    result: 'accept',
  };
  it.each([...jwt.control_plane_header, bearer])('$result: $header', async ({ header, result }) => {
    const { status } = await coordinator.call('GET', '/api/worker', { headers: header });
    expect(status).toBe(result === 'accept' ? 200 : 401);
  });

  it('signs nothing without a secret, and says which setting is missing', async () => {
    const node = await FakeRouterNode.join(coordinator, { authority: uniqueAuthority(), redisUrl });
    const { id } = await endpoint(coordinator);
    expect(await mint(coordinator, id)).toMatchObject({
      status: 500,
      body: { title: 'E00001: Service misconfigured.', msg: 'jwt_secret' },
    });
    await node.leave();
  });
});

describe('deployment access tokens', () => {
  const kinds = {
    router: {
      internal_frontend: { host: '10.0.0.1', port: 10440, domain: '.internal.example.com' },
    },
    wildcard: { ...WILDCARD_WORKER, ...INFERENCE },
    port: { ...portWorker(21_001, 21_009), ...INFERENCE },
  };

  it.each(Object.entries(kinds))('state the circuit of a %s worker', async (kind, fields) => {
    const database = await createTestDatabase('coordinator');
    const coordinator = await startWith(database);
    const authority = uniqueAuthority();
    const node = await FakeRouterNode.join(coordinator, { authority, redisUrl }, fields);
    const { id, url } = await endpoint(coordinator);
    const { body: snapshot } = await coordinator.call('GET', `/api/worker/${node.workerId}/circuits`);
    const [circuit] = snapshot.circuits;

    const { status, body } = await mint(coordinator, id);
    expect(status).toBe(200);
    const verified = verifyHs256(tokenOf(body), jwt.jwt_secret, Date.now());
    expect(verified).toMatchObject({
      ok: true,
      claims: {
        id: circuit?.id,
        app: 'llama-a',
        frontend_mode: kind,
        port: circuit?.port,
        subdomain: circuit?.subdomain,
        user_id: USER,
        endpoint_id: id,
        runtime_variant: 'vllm',
        app_url: url.replace(/\/$/, ''),
        user: 'c0ffee00-7a1b-4c2d-9e3f-000000000999',
        exp: EXPIRY_SECONDS,
      },
    });
    if (!verified.ok) throw new Error(verified.reason);
    expect(Object.keys(verified.claims)).toEqual(Object.keys(jwt.circuit_token.claims));
    expect(verified.claims.created_at).toBe(Date.parse(circuit?.created_at ?? '') / 1000);

    await node.leave();
    await coordinator.stop();
    await database.drop();
  });

  describe('of an endpoint', () => {
    let database: TestDatabase;
    let coordinator: CoordinatorInstance;
    let node: FakeRouterNode;

    beforeAll(async () => {
      database = await createTestDatabase('coordinator');
      coordinator = await startWith(database);
      node = await FakeRouterNode.join(coordinator, { authority: uniqueAuthority(), redisUrl }, kinds.router);
    });

    afterAll(async () => {
      await node.leave();
      await coordinator.stop();
      await database.drop();
    });

    it.each([
      ['a time', EXPIRY, EXPIRY_SECONDS],
      ['a time with an offset', '2030-01-01T09:00:00+09:00', EXPIRY_SECONDS],
      ['a fraction of a second', '2030-01-01T00:00:00.999Z', EXPIRY_SECONDS],
      ['UNIX seconds', EXPIRY_SECONDS, EXPIRY_SECONDS],
      ['the past', '2020-01-01T00:00:00Z', 1_577_836_800],
    ])('take %s as the expiry', async (_what, exp, seconds) => {
      const { id } = await endpoint(coordinator);
      const { body } = await mint(coordinator, id, { exp });
      const payload = tokenOf(body).split('.')[1] ?? '';
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ exp: seconds });
    });

    it('name the internal address of an internal circuit', async () => {
      const { id, url } = await endpoint(coordinator, { visibility: 'internal' });
      expect(url).toMatch(/^http:\/\/llama-a[-0-9a-f]*\.internal\.example\.com:10440\/$/);
      const verified = verifyHs256(tokenOf((await mint(coordinator, id)).body), jwt.jwt_secret, Date.now());
      expect(verified).toMatchObject({ ok: true, claims: { app_url: url.replace(/\/$/, '') } });
    });

    it('are refused for endpoints nobody knows', async () => {
      const expected = { status: 404, body: { title: 'E00002: No such circuit.' } };
      expect(await mint(coordinator, randomUUID())).toMatchObject(expected);
    });

    it.each([
      ['no expiry', { exp: undefined }, 'exp'],
      ['an expiry that is no time', { exp: 'soon' }, 'exp'],
      ['no user', { user_uuid: undefined }, 'user_uuid'],
      ['a user that is no id', { user_uuid: 'x' }, 'user_uuid'],
    ])('are refused with %s', async (_what, wrong, field) => {
      const answer = await mint(coordinator, randomUUID(), wrong);
      expect(answer.status).toBe(400);
      expect(answer.body.data.errors.map(({ loc }) => loc[0])).toEqual([field]);
    });

    it('are for those who know the secret', async () => {
      const answer = await mint(coordinator, randomUUID(), {}, { headers: {} });
      expect(answer.status).toBe(401);
    });
  });
});

function startWith(database: TestDatabase): Promise<CoordinatorInstance> {
  const overrides = { jwt_secret: jwt.jwt_secret };
  return CoordinatorInstance.start({ databaseUrl: database.url, redisUrl, overrides });
}

async function endpoint(
  coordinator: CoordinatorInstance,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly url: string }> {
  const id = randomUUID();
  const tags = {
    session: { user_uuid: USER, project_id: USER, domain_name: 'default' },
    endpoint: { id, runtime_variant: 'vllm' },
  };
  const body = { endpoints: [{ deployment_id: id, service_name: 'llama-a', tags, ...fields }] };
  const answer = await coordinator.call('POST', '/v2/endpoints/bulk', { body });
  expect(answer.status).toBe(200);
  return { id, url: (answer.body.endpoints[0] as unknown as { readonly url: string }).url };
}

function mint(
  coordinator: CoordinatorInstance,
  id: string,
  fields: Readonly<Record<string, unknown>> = {},
  call: Call = {},
) {
  const body = { user_uuid: 'c0ffee00-7a1b-4c2d-9e3f-000000000999', exp: EXPIRY, ...fields };
  return coordinator.call('POST', `/v2/endpoints/${id}/token`, { body, ...call });
}

function tokenOf(body: unknown): string {
  return (body as { readonly token: string }).token;
}
