import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AUTH_LINES,
  errorOf,
  RawClient,
  rawChat,
  rawExchange,
  rawPost,
  requestIdOf,
} from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

const BODY = '{"model":"m"}';

let upstream: ScriptedUpstream;
let router: TestRouter;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
  router = await new TestRouter({}, { arrival: { headMs: 400, bodyMs: 400, checkEveryMs: 50 } }).start(
    modelOn(upstream.port),
  );
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

/** Whatever the router answers can be found again in its log, once. */
async function expectOneEnd(answer: string, fields: object): Promise<void> {
  const id = requestIdOf(answer);
  expect(id).toMatch(/^req_/);
  await until(() => router.requests.length > 0 && router.plane.inFlight === 0);
  expect(router.requests).toHaveLength(1);
  expect(router.requests[0]).toMatchObject({ request_id: id, ...fields });
}

describe('a request that cannot be read', () => {
  it.each([
    ['a broken head', `GET /v1/models HTTP/1.1\r\nhost : x\r\n\r\n`, 400, 'invalid_request'],
    ['no host', `GET /v1/models HTTP/1.1\r\n\r\n`, 400, 'invalid_request'],
    ['two hosts', `GET /v1/models HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n`, 400, 'invalid_request'],
    [
      'chunks in HTTP/1.0',
      rawPost(`${AUTH_LINES}transfer-encoding: chunked\r\n`, `d\r\n${BODY}\r\n0\r\n\r\n`).replace(
        '1.1',
        '1.0',
      ),
      400,
      'invalid_request',
    ],
    ['a flood of headers', rawPost(`x-a: ${'y'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
    ['an odd expectation', rawChat(BODY, 'expect: 200-maybe\r\n'), 417, 'expectation_failed'],
    ['a tunnel', `CONNECT 10.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n`, 405, 'method_not_allowed'],
    [
      'a WebSocket',
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      400,
      'invalid_request',
    ],
  ])('for %s is answered in our form and ends once', async (_what, text, status, code) => {
    const answer = await rawExchange(router.port, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(errorOf(answer).code).toBe(code);
    await expectOneEnd(answer, { status, outcome: 'refused', 'error.code': code, fault: 'client' });
    expect(upstream.seen).toHaveLength(0);
  });

  it('for a head that trickles is 408', async () => {
    const answer = await rawExchange(router.port, 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    await expectOneEnd(answer, { status: 408, 'error.code': 'request_timeout', phase: 'head' });
  });
});

describe('a connection on which nothing comes', () => {
  it('is closed without an answer and leaves no line, as browsers open such in advance', async () => {
    const client = await RawClient.open(router.port);
    await client.read().closed;
    expect(client.answer).toBe('');
    expect(router.requests).toHaveLength(0);
  });
});

describe('a body that does not become whole', () => {
  it('in time is 408, under the id of its request', async () => {
    const answer = await rawExchange(
      router.port,
      rawPost(`${AUTH_LINES}content-length: 100\r\n`, '{"model"'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(errorOf(answer).code).toBe('request_timeout');
    await expectOneEnd(answer, {
      status: 408,
      outcome: 'refused',
      'error.code': 'request_timeout',
      phase: 'body',
      route: 'chat_completions',
      key_id: 'key-1',
    });
    expect(await router.metrics.text()).toMatch(/penstock_router_buffered_bytes\{[^}]*\} 0\n/);
  });

  it('because its chunks are broken is 400', async () => {
    const head = rawPost(`${AUTH_LINES}transfer-encoding: chunked\r\n`);
    const answer = await rawExchange(router.port, `${head}5\r\n{"mod\r\nnonsense\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    await expectOneEnd(answer, { status: 400, outcome: 'refused', phase: 'body' });
  });

  it('because the client left has no status', async () => {
    const client = await RawClient.open(router.port);
    client.send(rawPost(`${AUTH_LINES}content-length: 100\r\n`, '{"model"'));
    client.socket.end();
    await client.read().closed;
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', phase: 'body', status: null });
  });
});

describe('nonsense behind a request', () => {
  it('that is not answered yet makes it a 400, and ends what was begun for it', async () => {
    upstream.script = () => undefined;
    const client = await RawClient.open(router.port);
    client.read().send(rawChat(BODY));
    await until(() => upstream.calls.length === 1);
    client.send('\0nonsense\r\n\r\n');
    await client.closed;
    expect(client.answer).toMatch(/^HTTP\/1\.1 400 /);
    await upstream.calls[0]?.socketClosed;
    await expectOneEnd(client.answer, { status: 400, outcome: 'refused', attempts: 1, phase: 'attempt' });
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ in_flight: 0, failures: 0 });
  });

  it.each([
    ['nonsense', '\0nonsense\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('(%s) never gets into an answer that is under way', async (_what, nonsense) => {
    upstream.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"half":');
    };
    const client = await RawClient.open(router.port);
    client.read().send(rawChat(BODY));
    await until(() => client.answer.endsWith('{"half":'));
    client.send(nonsense);
    await client.closed;
    expect(client.answer.endsWith('{"half":')).toBe(true);
    await until(() => router.requests.length === 1 && router.plane.inFlight === 0);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', status: 200 });
  });
});

describe('requests pipelined behind one whose answer closes the connection', () => {
  it('are never begun, as nobody could hear their answers', async () => {
    const release: (() => void)[] = [];
    upstream.script = (_seen, response) => void release.push(() => response.end('{}'));
    const client = await RawClient.open(router.port);
    client.read().send(rawChat(BODY).repeat(3));
    await until(() => release.length === 1);
    router.plane.beginDraining();
    release[0]?.();
    await client.closed;
    await until(() => router.plane.inFlight === 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(upstream.calls).toHaveLength(1);
    expect(client.answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    expect(router.requests).toHaveLength(1);
    expect(await router.plane.drain(5_000)).toEqual({ cutOff: 0 });
  });

  it('are answered when that one began before the draining and so kept it open', async () => {
    const release: (() => void)[] = [];
    upstream.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      release.push(() => response.end('}'));
    };
    const client = await RawClient.open(router.port);
    client.read().send(rawChat(BODY).repeat(2));
    await until(() => client.answer.includes('{'));
    router.plane.beginDraining();
    release[0]?.();
    await until(() => release.length === 2);
    release[1]?.();
    await client.closed;
    expect(client.answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(client.answer.toLowerCase().match(/connection: close/g)).toHaveLength(1);
  });
});
