import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { API_SECRET, CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { configure, handOver, InteractiveSession, WILDCARD_WORKER } from '../support/interactive-session.js';

const redisUrl = testRedisUrl();

describe('the hand-over of a session with interactive apps', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  /** Another one on the same database, which takes hand-overs from anyone and has nothing to sign with. */
  let open: CoordinatorInstance;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = { databaseUrl: database.url, redisUrl };
    const overrides = { allow_unauthorized_configure_request: true };
    coordinator = await CoordinatorInstance.start(settings);
    open = await CoordinatorInstance.start({ ...settings, overrides });
  });

  afterAll(async () => {
    await Promise.all([coordinator.stop(), open.stop()]);
    await database.drop();
  });

  it.each([
    ['no secret', {}, 401],
    ['another form of the secret', { 'x-backendai-token': `Bearer ${API_SECRET}` }, 401],
    ['a JWT instead', { authorization: 'Bearer x.y.z' }, 401],
    ['the bare secret', { 'x-backendai-token': API_SECRET }, 200],
  ])('with %s answers %3$i', async (_what, headers, status) => {
    expect((await configure(coordinator, handOver(), { headers })).status).toBe(status);
  });

  it('says which session parameter it cannot do without', async () => {
    for (const session of [{ id: null }, { access_key: '' }, { access_key: null }]) {
      const answer = await configure(coordinator, handOver(session));
      expect(answer).toMatchObject({
        status: 400,
        body: { error_code: 'kernel_access_invalid-parameters', msg: 'Not meant for inference apps' },
      });
    }
  });

  it.each([
    ['login_session_token', { login_session_token: undefined }],
    ['kernel_port', { kernel_port: 0 }],
    ['kernel_host', { kernel_host: 'a b' }],
    ['session', { session: undefined }],
  ])('refuses a wrong %s', async (field, wrong) => {
    const answer = await configure(coordinator, { ...handOver(), ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.data.errors[0]?.loc[0]).toBe(field);
  });

  it('is told to workers that ask for it', async () => {
    const session = await InteractiveSession.handOver(coordinator);
    const answer = await open.call('GET', `/api/worker/token/${session.token}`);
    expect(answer.body).toEqual({
      id: session.token,
      login_session_token: null,
      kernel_host: '127.0.0.1',
      kernel_port: 30011,
      session_id: session.id,
      user_uuid: 'c0ffee00-7a1b-4c2d-9e3f-000000000777',
      group_id: 'c0ffee00-7a1b-4c2d-9e3f-000000000888',
      access_key: 'AKTEST',
      domain_name: 'default',
    });
    expect((await open.call('GET', `/api/worker/token/${randomUUID()}`)).status).toBe(404);
    expect((await open.call('GET', `/api/worker/token/${session.token}`, { headers: {} })).status).toBe(401);
  });

  it('takes hand-overs from anyone, and opens nothing without a secret to sign with', async () => {
    const { body } = await configure(open, handOver({ id: randomUUID() }), { headers: {} });
    expect(body.token).toMatch(/^[0-9a-f-]{36}$/);
    const session = await InteractiveSession.handOver(open);
    const node = await FakeRouterNode.join(open, { authority: uniqueAuthority(), redisUrl }, WILDCARD_WORKER);
    expect(await session.open({})).toMatchObject({
      status: 500,
      body: { error_code: 'agent_setup_invalid-parameters', msg: expect.stringContaining('jwt_secret') },
    });
    expect(node.events).toEqual([]);
    await node.leave();
  });
});
