import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseIpList, signHs256 } from '@penstock/protocol';
import { hostCall, type HostAnswer } from '../../testing/host-client.js';
import { rawExchange } from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { endpoint, replica, snapshot } from '../../testing/snapshots.js';
import { TestRouter, until } from '../../testing/test-router.js';
import type { EndpointTarget } from '../snapshot/index.js';

interface Vectors {
  readonly jwt_secret: string;
  readonly circuit_id: string;
  readonly verify: readonly {
    readonly name: string;
    readonly method?: string;
    readonly authorization: string | null;
    readonly result: 'accept' | 'reject';
    readonly code?: string;
  }[];
}

const FIXTURE = new URL('../../../../../packages/protocol/fixtures/jwt.json', import.meta.url);
const jwt = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Vectors;
const NOW = Date.parse('2026-08-01T00:00:00Z');
const HOST = 'llama-a.models.example.com';
const CHAT = '/v1/chat/completions';
const token = (circuitId: string, secret = jwt.jwt_secret) =>
  `Bearer ${signHs256({ id: circuitId }, secret)}`;
const GOOD = token(jwt.circuit_id);

let upstream: ScriptedUpstream;
let router: TestRouter;

beforeAll(async () => {
  upstream = await new ScriptedUpstream().listen();
  const wildcard = {
    domain: '.models.example.com',
    jwtSecret: jwt.jwt_secret,
    aggregationHosts: ['all.example.com'],
  };
  const settings = { wildcard, trustedProxies: ['127.0.0.1'] };
  router = await new TestRouter(settings, { now: () => NOW }).start();
});

afterAll(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

beforeEach(() => {
  upstream.seen.length = 0;
  upstream.script = answer;
  serve({});
});

function answer({ path }: { path: string }, response: ServerResponse): void {
  response
    .setHeader('content-type', 'application/json')
    .setHeader('access-control-allow-origin', 'http://own');
  response.end(path === '/v1/models' ? '{"data":[{"id":"replica-name"}],"own":true}' : '{"answer":true}');
}

const circuit = (over: Partial<EndpointTarget>): EndpointTarget =>
  endpoint([replica(upstream.port)], {
    circuitId: jwt.circuit_id,
    label: 'llama-a',
    servedModel: null,
    ...over,
  });

function serve(over: Partial<EndpointTarget>, ...others: readonly EndpointTarget[]): void {
  router.snapshots.swap(snapshot({ hosts: [circuit(over), ...others] }));
}

const ask = (call: Parameters<typeof hostCall>[1]) => hostCall(router.port, { host: HOST, ...call });
const withToken = (call: Parameters<typeof hostCall>[1] = {}) =>
  ask({ ...call, headers: { authorization: GOOD, ...call.headers } });
const lastBody = () => upstream.seen.at(-1)?.body;

describe('the credential', () => {
  it.each(jwt.verify)('decides $name on the model API and beside it', async (vector) => {
    const { authorization, method = 'GET', result, code } = vector;
    const headers: Record<string, string> = authorization === null ? {} : { authorization };
    for (const path of ['/v1/models', '/lab']) {
      const got = await ask({ path, method, headers });
      expect([path, got.status, got.code]).toEqual(
        result === 'accept' ? [path, 200, undefined] : [path, 401, code],
      );
    }
  });

  it('is asked for before anything is said of the request, and of nothing where none is needed', async () => {
    expect(await ask({ path: CHAT, body: 'no json' })).toMatchObject({ status: 401, code: 'E20006' });
    serve({ requiresToken: false });
    expect(await ask({ path: CHAT, body: 'no json' })).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(await ask({ path: CHAT, body: '{}' })).toMatchObject({ status: 200 });
  });

  it('is not read from the query or from a cookie', async () => {
    const plain = GOOD.slice(7);
    const path = `/v1/models?token=${plain}&authorization=${encodeURIComponent(GOOD)}`;
    expect((await ask({ path, headers: { cookie: `token=${plain}` } })).code).toBe('E20006');
  });

  it('counts for nothing from an address outside the list, whoever the balancer says it is', async () => {
    serve({ allowsClient: (peer) => parseIpList('10.0.0.0/8').allows(peer) });
    const from = (address: string) => withToken({ headers: { 'x-forwarded-for': address } });
    expect(await from('9.1.2.3')).toMatchObject({ status: 403, code: 'E20011' });
    expect(await from('10.1.2.3')).toMatchObject({ status: 200 });
    expect(await from('9.9.9.9, 10.1.2.3, 127.0.0.1')).toMatchObject({ status: 200 });
    expect(await from('10.1.2.3, 9.9.9.9')).toMatchObject({ status: 403 });
    expect(await withToken({ path: '/lab' })).toMatchObject({ status: 403, code: 'E20011' });
    expect(await withToken({ method: 'OPTIONS' })).toMatchObject({ status: 403 });
    expect(upstream.seen).toHaveLength(2);
  });
});

describe('the host', () => {
  it.each([
    'LLAMA-A.Models.Example.com:10600',
    'llama-a.models.example.com.',
    'llama-a.models.example.com:1',
  ])('%s is that of the endpoint', async (host) => {
    expect(await withToken({ host })).toMatchObject({ status: 200 });
  });

  it.each([
    'nope.models.example.com',
    'a.llama-a.models.example.com',
    'llama-a.example.com',
    '127.0.0.1',
    'llama-a',
  ])('%s is nobody, with and without a token, in both forms of errors', async (host) => {
    for (const headers of [undefined, { authorization: GOOD }]) {
      const api = await ask({ host, ...(headers && { headers }) });
      expect(api).toMatchObject({ status: 404, code: 'endpoint_not_found' });
      const beside = await ask({ host, path: '/', ...(headers && { headers }) });
      expect(beside).toMatchObject({ status: 404, code: 'agent_read_not-found' });
    }
  });

  it('is nobody for an internal endpoint', async () => {
    const hidden = circuit({ visibility: 'internal', label: 'hidden', requiresToken: false });
    serve({}, hidden);
    expect(await ask({ host: 'hidden.models.example.com' })).toMatchObject({ status: 404 });
  });

  it('has no endpoint before the first snapshot, which is no fault of the caller', async () => {
    const wildcard = { domain: '.models.example.com', jwtSecret: 's', aggregationHosts: [] };
    const fresh = await new TestRouter({ wildcard }).start();
    for (const host of [HOST, 'models.example.com', 'other']) {
      expect(await hostCall(fresh.port, { host })).toMatchObject({ status: 503, code: 'not_ready' });
    }
  });
});

describe('an inference call', () => {
  it.each([
    ['{"model":"theirs","x":1}', '{"model":"replica-name","x":1}'],
    ['{"x":1,"model":"replica-name"}', '{"x":1,"model":"replica-name"}'],
    ['{"x":1}', '{"model":"replica-name","x":1}'],
    [' { } ', ' {"model":"replica-name" } '],
    ['{"model":null}', '{"model":"replica-name"}'],
    ['{"model":["a"]}', '{"model":"replica-name"}'],
  ])('%s reaches the replica under the name the replica has', async (body, expected) => {
    expect(await withToken({ path: CHAT, body })).toMatchObject({ status: 200, text: '{"answer":true}' });
    expect(lastBody()).toBe(expected);
  });

  it('uses the name the circuit gives it before any other', async () => {
    serve({ servedModel: 'given' });
    await withToken({ path: CHAT, body: '{"model":"theirs"}' });
    expect(lastBody()).toBe('{"model":"given"}');
  });

  it('keeps query, host, credential and further headers', async () => {
    await withToken({
      path: `${CHAT}?x=1&y=%2F`,
      body: '{"model":"m"}',
      headers: { cookie: 'a=1', 'x-own': '2' },
    });
    expect(upstream.seen.at(-1)).toMatchObject({
      path: `${CHAT}?x=1&y=%2F`,
      headers: {
        host: HOST,
        authorization: GOOD,
        cookie: 'a=1',
        'x-own': '2',
        'accept-encoding': 'identity',
      },
    });
  });

  it('to a target that no replica could be sent is refused, not half-way', async () => {
    for (const path of [`${CHAT}#x`, `${CHAT}?x=\xe9`, `http://elsewhere.models.example.com${CHAT}`]) {
      const body = '{"model":"m"}';
      const head = `POST ${path} HTTP/1.1\r\nhost: ${HOST}\r\nauthorization: ${GOOD}\r\n`;
      const framing = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
      expect(await rawExchange(router.port, head + framing + body)).toMatch(/^HTTP\/1\.1 40[04] /);
    }
    expect(upstream.seen).toHaveLength(0);
  });

  it('tries another replica before anything has gone out', async () => {
    const dead = await new ScriptedUpstream().listen();
    const { port } = dead;
    await dead.close();
    router.snapshots.swap(
      snapshot({
        hosts: [
          endpoint([replica(port), replica(upstream.port)], {
            circuitId: jwt.circuit_id,
            label: 'llama-a',
            servedModel: 'm',
          }),
        ],
      }),
    );
    for (let round = 0; round < 6; round += 1) {
      expect(await withToken({ path: CHAT, body: '{}' })).toMatchObject({ status: 200 });
    }
  });

  it('ends in exactly one line that names mode and circuit', async () => {
    router.lines.length = 0;
    await withToken({ path: CHAT, body: '{"model":"theirs"}' });
    expect(router.requests).toMatchObject([
      {
        mode: 'wildcard',
        circuit_id: jwt.circuit_id,
        route: 'chat_completions',
        model: 'theirs',
        status: 200,
      },
    ]);
    expect(JSON.stringify(router.lines)).not.toContain(GOOD.slice(7));
    await withToken({ path: CHAT, body: JSON.stringify({ model: 'x'.repeat(10_000) }) });
    expect(router.requests.at(-1)?.['model']).toHaveLength(128);
  });
});

describe('everything else', () => {
  it.each([
    ['GET', '/v1/models'],
    ['GET', '/v1/models/replica-name'],
    ['DELETE', CHAT],
    ['PUT', '/any/path?q=%2F'],
    ['POST', '/v1/audio/speech'],
    ['GET', '/'],
  ])('%s %s is the replica’s to answer', async (method, path) => {
    expect(await withToken({ method, path })).toMatchObject({ status: 200 });
    expect(upstream.seen.at(-1)).toMatchObject({ method, path, headers: { host: HOST } });
  });
});

describe('an upgrade', () => {
  const upgrade = (host: string, authorization?: string, path = '/ws') =>
    rawExchange(
      router.port,
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: x\r\n' +
        (authorization === undefined ? '' : `authorization: ${authorization}\r\n`) +
        '\r\n',
    );

  it('asks for the same credential, in the form of errors of its path', async () => {
    for (const { authorization, method, result, code } of jwt.verify) {
      if (result === 'accept' || method !== undefined) continue;
      const beside = await upgrade(HOST, authorization ?? undefined);
      expect(beside).toMatch(/^HTTP\/1\.1 401 /);
      expect(beside).toContain(`"msg":"${code ?? ''}: `);
      expect(await upgrade(HOST, authorization ?? undefined, '/v1/realtime')).toContain(
        `"code":"${code ?? ''}"`,
      );
    }
    expect(await upgrade('nope.models.example.com', GOOD)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await upgrade('models.example.com', GOOD)).toMatch(/^HTTP\/1\.1 404 /);
    serve({ allowsClient: () => false, requiresToken: false });
    expect(await upgrade(HOST, GOOD)).toMatch(/^HTTP\/1\.1 403 /);
    expect(upstream.seen).toHaveLength(0);
  });

  it('that is refused ends in one line as well, and counts as in flight no more', async () => {
    router.lines.length = 0;
    await upgrade(HOST);
    expect(router.requests).toMatchObject([
      { mode: 'wildcard', route: 'upgrade', circuit_id: jwt.circuit_id, status: 401, 'error.code': 'E20006' },
    ]);
    await until(() => router.plane.inFlight === 0);
  });
});

it.each([CHAT, '/stream'])('lets a stream of %s finish whose circuit is gone', async (path) => {
  let finish = (): void => undefined;
  upstream.script = (seen, response) => {
    if (seen.path === '/v1/models') return answer(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"n":1}\n\n');
    finish = () => void response.end('data: [DONE]\n\n');
  };
  const running = withToken({ path, body: '{"stream":true}' });
  await until(() => upstream.seen.some((seen) => seen.path === path));
  router.snapshots.swap(snapshot({}));
  expect(await withToken()).toMatchObject({ status: 404 });
  finish();
  expect(await running).toMatchObject({ status: 200, text: 'data: {"n":1}\n\ndata: [DONE]\n\n' });
});

describe('CORS', () => {
  it('lets every page read every answer, the refused ones too', async () => {
    for (const got of [
      await withToken(),
      await ask({}),
      await ask({ path: '/lab' }),
      await ask({ host: 'nope' }),
    ]) {
      expect(got.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization',
      });
    }
  });

  it('answers the preflight of a page, and leaves any other OPTIONS to the replica', async () => {
    const headers = { origin: 'http://page', 'access-control-request-method': 'POST' };
    const asked = { ...headers, 'access-control-request-headers': 'authorization, x-own' };
    expect((await ask({ method: 'OPTIONS', path: CHAT, headers: asked })).headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, x-own',
    });
    expect(upstream.seen).toHaveLength(0);
    expect(await ask({ method: 'OPTIONS', path: CHAT })).toMatchObject({ status: 200 });
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('a host that stands for all endpoints', () => {
  const open = () =>
    circuit({
      endpointId: 'open',
      circuitId: 'c-open',
      label: 'open',
      requiresToken: false,
      servedModel: 'open-model',
    });
  const other = () =>
    circuit({ endpointId: 'other', circuitId: 'c-other', label: 'other', servedModel: 'other-model' });
  const hidden = () =>
    circuit({
      endpointId: 'h',
      visibility: 'internal',
      label: 'h',
      requiresToken: false,
      servedModel: 'hidden',
    });

  const list = async (headers = {}, host = 'models.example.com') => {
    const got = await ask({ host, headers });
    return (JSON.parse(got.text) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const infer = (model: string, headers = {}): Promise<HostAnswer> =>
    ask({ host: 'ALL.example.com:80', path: CHAT, body: JSON.stringify({ model }), headers });

  beforeEach(() => serve({}, open(), other(), hidden()));

  it('lists what needs no token, and what the token is for', async () => {
    expect(await list()).toEqual(['open-model']);
    expect(await list({ authorization: GOOD })).toEqual(['open-model', 'replica-name']);
    expect(await list({ authorization: token('c-other') }, 'all.example.com')).toEqual([
      'open-model',
      'other-model',
    ]);
  });

  it('finds one of them by its name', async () => {
    const get = (name: string, headers = {}) =>
      ask({ host: 'all.example.com', path: `/v1/models/${name}`, headers });
    expect(await get('open-model')).toMatchObject({ status: 200 });
    expect(await get('other-model')).toMatchObject({ status: 401 });
    expect(await get('other-model', { authorization: GOOD })).toMatchObject({ status: 404 });
  });

  it('picks the endpoint by the model of the body among them', async () => {
    expect(await infer('open-model')).toMatchObject({ status: 200 });
    expect(await infer('replica-name', { authorization: GOOD })).toMatchObject({ status: 200 });
    expect(await infer('other-model', { authorization: GOOD })).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await infer('hidden', { authorization: GOOD })).toMatchObject({ status: 404 });
    expect(await infer('other-model')).toMatchObject({ status: 401, code: 'E20006' });
    expect(await ask({ host: 'all.example.com', path: CHAT, body: '{}' })).toMatchObject({
      code: 'missing_model',
    });
  });

  it('gives the calls of a token to nobody who serves a model of the same name', async () => {
    const squatter = await new ScriptedUpstream().listen();
    squatter.script = answer;
    const groups = endpoint([replica(squatter.port)]).groups;
    serve({}, { ...open(), groups, servedModel: 'replica-name' });
    for (let count = 0; count < 8; count += 1) await infer('replica-name', { authorization: GOOD });
    expect(squatter.seen).toHaveLength(0);
    await infer('replica-name');
    expect(squatter.seen).toHaveLength(1);
    await squatter.close();
  });

  it('shows a token to the replicas of its own circuit only', async () => {
    await infer('replica-name', { authorization: GOOD });
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ authorization: GOOD });
    await infer('open-model', { authorization: GOOD });
    expect(upstream.seen.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it('refuses a bad token, and one for a circuit that is not here', async () => {
    for (const [authorization, code] of [
      ['Basic x', 'E20007'],
      [token(jwt.circuit_id, 'another secret'), 'E20008'],
      [token('nowhere'), 'E20009'],
      [token('c-h'), 'E20009'],
    ] as const) {
      expect(await infer('open-model', { authorization })).toMatchObject({ status: 401, code });
      expect(await ask({ host: 'all.example.com', headers: { authorization } })).toMatchObject({ code });
    }
  });

  it('keeps the address lists of the endpoints', async () => {
    const nobody = { allowsClient: () => false };
    serve(nobody, { ...open(), ...nobody });
    expect(await list()).toEqual([]);
    expect(await infer('replica-name', { authorization: GOOD })).toMatchObject({
      status: 403,
      code: 'E20011',
    });
  });

  it('waits for no silent replica when it knows who serves the model', async () => {
    const silent = await new ScriptedUpstream().listen();
    silent.script = () => undefined;
    const mute = { label: 'mute', requiresToken: false, groups: endpoint([replica(silent.port)]).groups };
    serve({}, open(), circuit({ endpointId: 'mute', circuitId: 'c-mute', ...mute }));
    const startedMs = performance.now();
    expect(await infer('open-model')).toMatchObject({ status: 200 });
    expect(performance.now() - startedMs).toBeLessThan(900);
    expect(await list()).toEqual(['open-model']);
    await silent.close();
  });

  it('serves the model API and nothing beside it', async () => {
    for (const path of ['/', '/lab', '/v1', '/v1/files']) {
      expect(await ask({ host: 'models.example.com', path })).toMatchObject({ status: 404 });
    }
    expect(await ask({ host: 'models.example.com', method: 'DELETE' })).toMatchObject({ status: 405 });
    expect(upstream.seen).toHaveLength(0);
  });
});
