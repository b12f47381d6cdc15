import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, verifyHs256, type Circuit } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { API_SECRET, CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { InteractiveSession, portWorker, WILDCARD_WORKER } from '../support/interactive-session.js';

const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';
const redisUrl = testRedisUrl();

describe('interactive apps, on two coordinators', () => {
  let database: TestDatabase;
  let one: CoordinatorInstance;
  let two: CoordinatorInstance;
  let wildcard: FakeRouterNode;
  let tcp: FakeRouterNode;
  const logged: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = {
      databaseUrl: database.url,
      redisUrl,
      overrides: { jwt_secret: JWT_SECRET, log_level: 'debug', worker_heartbeat_timeout_ms: 600_000 },
      log: { write: (line: string) => void logged.push(line) },
    };
    one = await CoordinatorInstance.start(settings);
    two = await CoordinatorInstance.start(settings);
    wildcard = await FakeRouterNode.join(one, { authority: uniqueAuthority(), redisUrl }, WILDCARD_WORKER);
    tcp = await FakeRouterNode.join(
      one,
      { authority: uniqueAuthority(), redisUrl },
      { ...portWorker(20_001, 20_009), protocol: 'tcp' },
    );
  });

  afterAll(async () => {
    await Promise.all([wildcard.leave(), tcp.leave()]);
    await Promise.all([one.stop(), two.stop()]);
    await database.drop();
  });

  describe('opening an app', () => {
    it('makes a circuit, has it acknowledged, and points to the worker with a signed hand-over', async () => {
      const session = await InteractiveSession.handOver(one);
      const { status, headers, body } = await session.at(two).open({
        redirect: '/lab?x=1',
        args: '--x 1',
        envs: '{"A":"1","B":2,"C":null}',
        allowed_client_ips: '10.0.0.0/8, 192.168.1.7',
      });
      expect(status).toBe(200);
      expect(body.reuse).toBe(false);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('no-store');
      const circuit = circuitOf(session.id);
      expect(circuit).toMatchObject({
        app: 'jupyter',
        app_mode: 'interactive',
        frontend_mode: 'wildcard',
        protocol: 'http',
        port: null,
        user_id: 'c0ffee00-7a1b-4c2d-9e3f-000000000777',
        endpoint_id: null,
        session_ids: [session.id],
        open_to_public: false,
        arguments: '--x 1',
        envs: { A: '1', B: 2, C: null },
        allowed_client_ips: '10.0.0.0/8, 192.168.1.7',
        route_info: [
          {
            route_id: null,
            session_id: session.id,
            session_name: null,
            kernel_host: '127.0.0.1',
            kernel_port: 30011,
            protocol: 'http',
            traffic_ratio: 1,
          },
        ],
      });
      expect(circuit?.subdomain).toMatch(/^app-[0-9a-f]{8}$/);
      const url = new URL(body.redirect_url);
      expect(url.origin + url.pathname).toBe('http://worker.example.com:10201/setup');
      expect(verifyHs256(url.searchParams.get('token') ?? '', JWT_SECRET, Date.now())).toEqual({
        ok: true,
        claims: { id: session.token, version: 'v2', redirect: '/lab?x=1', circuit: circuit?.id },
      });
    });

    it.each(['text/html', '*/*', 'application/problem+json'])('sends a browser on: %s', async (accept) => {
      const session = await InteractiveSession.handOver(one);
      const path = `/v2/proxy/auth?token=${session.token}&session_id=${session.id}&app=a&protocol=http`;
      const answer = await fetch(one.url + path, { headers: { accept }, redirect: 'manual' });
      expect(answer.status).toBe(308);
      expect(answer.headers.get('location')).toMatch(/^http:\/\/worker\.example\.com:10201\/setup\?token=/);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).toBe('308: Permanent Redirect');
    });

    it('uses a circuit again for the same session, app and access, and announces it again', async () => {
      const session = await InteractiveSession.handOver(one);
      await session.open({});
      expect((await session.at(two).open({ protocol: 'grpc' })).body.reuse).toBe(true);
      expect(announced(session.id)).toHaveLength(2);
      const differences: Record<string, string>[] = [
        { app: 'b' },
        { open_to_public: 'true' },
        { allowed_client_ips: '10.0.0.1' },
        { no_reuse: 'true' },
      ];
      for (const difference of differences) {
        expect((await session.open(difference)).body.reuse).toBe(false);
      }
      expect((await session.open({ allowed_client_ips: '10.0.0.1' })).body.reuse).toBe(true);
      expect(new Set(announced(session.id).map(({ id }) => id)).size).toBe(5);
    });

    it('makes one circuit of many calls at once', async () => {
      const session = await InteractiveSession.handOver(one);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_none, n) => session.at(n % 2 ? one : two).open({})),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(answers.filter(({ body }) => !body.reuse)).toHaveLength(1);
      expect(new Set(announced(session.id).map(({ id }) => id)).size).toBe(1);
    });

    it('carries preopen as http, and keeps what was asked for in the route', async () => {
      const session = await InteractiveSession.handOver(one);
      await session.open({ protocol: 'preopen' });
      expect(circuitOf(session.id)).toMatchObject({
        protocol: 'http',
        route_info: [{ protocol: 'preopen' }],
      });
    });

    it.each(['tcp', 'vnc', 'rdp'])(
      'carries %s on a TCP worker and never calls it reused',
      async (protocol) => {
        const session = await InteractiveSession.handOver(one);
        for (let call = 0; call < 2; call += 1) {
          const { body } = await session.open({ protocol });
          expect(body).toMatchObject({ reuse: false });
        }
        const circuits = tcp.heard(EVENT_NAMES.circuitCreated).flatMap((event) => event.circuits);
        const mine = circuits.filter(({ session_ids }) => session_ids.includes(session.id));
        expect(mine).toMatchObject([{ protocol: 'tcp', route_info: [{ protocol }] }, { id: mine[0]?.id }]);
      },
    );

    it('grants a free subdomain and a free port', async () => {
      const session = await InteractiveSession.handOver(one);
      await session.open({ subdomain: 'My.Lab', port: '1' });
      expect(circuitOf(session.id)?.subdomain).toBe('my-lab');
      const slots = await one.call('GET', `/api/slots?wsproxy_host=${tcp.authority}&in_use=false`);
      const free = slots.body.slots.find(({ in_use }) => !in_use)?.port;
      expect((await session.open({ app: 's', protocol: 'tcp', port: String(free) })).status).toBe(200);
      for (const [app, port] of [
        ['taken', String(free)],
        ['outside', '19999'],
      ] as const) {
        expect(await session.open({ app, protocol: 'tcp', port })).toMatchObject({
          status: 409,
          body: { title: 'Designated port already occupied.' },
        });
      }
    });

    it.each([
      ['no app', { app: '' }, 'app'],
      ['a protocol nobody has', { protocol: 'bogus' }, 'protocol'],
      ['a port that is none', { port: 'abc' }, 'port'],
      ['an address that is none', { allowed_client_ips: '10.0.0.1,bogus' }, 'allowed_client_ips'],
      ['variables that are no object', { envs: '[1]' }, 'envs'],
      ['variables that are no JSON', { envs: 'A=1' }, 'envs'],
      ['nested variables', { envs: '{"A":{}}' }, 'envs'],
      ['a token that is no id', { token: 'nope' }, 'token'],
      ['a session that is no id', { session_id: 'nope' }, 'session_id'],
    ])('refuses %s', async (_what, query, field) => {
      const session = await InteractiveSession.handOver(one);
      const answer = await session.open(query);
      expect(answer.status).toBe(400);
      expect(answer.body.data.errors[0]?.loc[0]).toBe(field);
      expect(announced(session.id)).toEqual([]);
    });

    it('knows the token, and the session it is for', async () => {
      const session = await InteractiveSession.handOver(one);
      expect(await session.open({ token: randomUUID() })).toMatchObject({
        status: 404,
        body: { title: 'E00002: No such token.' },
      });
      expect(await session.open({ session_id: randomUUID() })).toMatchObject({
        status: 401,
        body: { title: 'Authentication credentials not valid.', msg: 'E20007: Session ID mismatch' },
      });
    });

    it('answers 503 for a protocol that no worker carries', async () => {
      const session = await InteractiveSession.handOver(one);
      expect(await session.open({ protocol: 'grpc' })).toMatchObject({
        status: 503,
        body: { title: 'Worker not available.' },
      });
    });

    it('sends nobody to a worker that says nothing, until it answers', async () => {
      const session = await InteractiveSession.handOver(one);
      wildcard.acks = 'never';
      const refused = await session.open({});
      wildcard.acks = 'always';
      expect(refused).toMatchObject({
        status: 503,
        body: { msg: 'E10001: Proxy worker not responding', data: { worker: wildcard.authority } },
      });
      expect(await session.open({})).toMatchObject({ status: 200, body: { reuse: true } });
    });

    it('passes over a circuit whose worker is lost', async () => {
      const session = await InteractiveSession.handOver(one);
      const roomier = await FakeRouterNode.join(
        one,
        { authority: uniqueAuthority(), redisUrl },
        { ...portWorker(23_001, 23_099), protocol: 'tcp' },
      );
      await session.open({ protocol: 'tcp' });
      expect(roomier.heard(EVENT_NAMES.circuitCreated)).toHaveLength(1);
      await one.call('DELETE', `/api/worker/${roomier.workerId}`);
      const before = tcp.heard(EVENT_NAMES.circuitCreated).length;
      expect((await session.open({ protocol: 'tcp' })).status).toBe(200);
      expect(tcp.heard(EVENT_NAMES.circuitCreated)).toHaveLength(before + 1);
      await roomier.leave();
    });

    it('builds the address for old clients, without looking anything up', async () => {
      const [token, session] = [randomUUID(), randomUUID()];
      const path = `/v2/proxy/${token}/${session}/add?app=jupyter&protocol=http&redirect=%2Flab`;
      const answer = await one.call('GET', path, { headers: {} });
      expect(answer.body).toEqual({
        code: 200,
        url: `${one.url}/v2/proxy/auth?app=jupyter&protocol=http&redirect=%2Flab&token=${token}&session_id=${session}`,
      });
      expect((await one.call('GET', `/v2/proxy/${token}/${session}/add`, { headers: {} })).status).toBe(400);
    });
  });

  it('leaves no token, no secret and no hand-over in the log', async () => {
    const session = await InteractiveSession.handOver(one);
    const { body } = await session.open({});
    await one.call('GET', `/v2/proxy/${session.token}/${session.id}/add?app=a&protocol=http`, {
      headers: {},
    });
    await one.call('GET', `/api/worker/token/${session.token}`);
    const signed = new URL(body.redirect_url).searchParams.get('token') ?? '';
    const text = logged.join('');
    expect(text).toContain('/v2/proxy/auth');
    for (const secret of [session.token, signed, JWT_SECRET, API_SECRET, 'AKTEST']) {
      expect(text).not.toContain(secret);
    }
  });

  function announced(sessionId: string): Circuit[] {
    return wildcard
      .heard(EVENT_NAMES.circuitCreated)
      .flatMap((event) => event.circuits)
      .filter(({ session_ids }) => session_ids.includes(sessionId));
  }

  function circuitOf(sessionId: string): Circuit | undefined {
    return announced(sessionId)[0];
  }
});
