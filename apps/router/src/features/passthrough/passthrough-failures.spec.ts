import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient } from '../../testing/raw-client.js';
import { TestRouter, until } from '../../testing/test-router.js';

let first: HttpUpstream;
let second: HttpUpstream;
let router: TestRouter;

const TIMEOUTS = {
  connectMs: 1_000,
  headersMs: 5_000,
  streamHeadersMs: 5_000,
  idleMs: 5_000,
  requestMs: 20_000,
};

beforeEach(async () => {
  [first, second] = await Promise.all([new HttpUpstream().listen(), new HttpUpstream().listen()]);
});

afterEach(async () => {
  await TestRouter.stopAll();
  await Promise.all([first.close(), second.close()]);
});

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function head(method: string, lines = '', path = '/f'): string {
  return `${method} ${path} HTTP/1.1\r\nhost: ${HOST}\r\n${lines}\r\n`;
}

async function exchange(text: string): Promise<string> {
  return (await RawClient.open(router.port)).exchange(text);
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

function swallow(request: IncomingMessage): Promise<string> {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString('latin1'))).on('error', () => undefined);
  return new Promise((resolve) => request.once('close', () => resolve(body)));
}

/** Nothing of any request is left behind. */
async function expectIdle(): Promise<void> {
  await until(() => router.plane.inFlight === 0);
  for (const { replicas } of router.plane.groups())
    for (const { in_flight } of replicas) expect(in_flight).toBe(0);
}

describe('a replica that cannot be reached', () => {
  it('is passed over, and the whole body goes to another one', async () => {
    const dead = await deadPort();
    let body = '';
    first.onRequest = (request, response) => {
      void swallow(request).then((all) => (body = all));
      request.once('end', () => response.end('ok'));
    };
    router = await circuitRouter({}, { random: () => 0 }).start(circuitOn([dead, first.port]));
    const answer = await exchange(head('POST', 'connection: close\r\ncontent-length: 5\r\n') + 'hello');
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*ok/);
    await until(() => body === 'hello');
    expect(router.requests[0]).toMatchObject({ outcome: 'completed', attempts: 2, body_bytes: 5 });
    await expectIdle();
  });

  it('is a 502 in the form of AppProxy workers when there is no other', async () => {
    router = await circuitRouter().start(circuitOn([await deadPort()]));
    const answer = await exchange(head('POST', 'connection: close\r\ncontent-length: 5\r\n') + 'hello');
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*content-type: application\/json; charset=utf-8/);
    expect(bodyOf(answer)).toMatchObject({ error_code: 'kernel_access_unreachable' });
  });

  it('is a 502 in the form of the model API below /v1', async () => {
    router = await circuitRouter().start(circuitOn([await deadPort()]));
    const answer = await exchange(head('GET', 'connection: close\r\n', '/v1/audio/voices'));
    expect(answer).toMatch(/^HTTP\/1\.1 502/);
    expect(bodyOf(answer)).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });

  it('is a 503 when the circuit has none at all', async () => {
    router = await circuitRouter().start(circuitOn([]));
    const answer = await exchange(head('GET', 'connection: close\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 503/);
    expect(bodyOf(answer)).toMatchObject({ error_code: 'agent_access_not-found' });
  });
});

describe('a replica that breaks off before its head', () => {
  const breaks = (request: IncomingMessage) => void request.socket.destroy();

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])('loses a %s to another replica', async (method) => {
    first.onRequest = breaks;
    second.onRequest = (_request, response) => void response.writeHead(204).end();
    router = await circuitRouter({}, { random: () => 0 }).start(circuitOn([first.port, second.port]));
    expect(await exchange(head(method, 'connection: close\r\n'))).toMatch(/^HTTP\/1\.1 204/);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'completed', attempts: 2 });
  });

  it.each([
    ['POST', ''],
    ['PATCH', ''],
    ['POST', 'hello'],
    ['PUT', 'hello'],
    ['GET', 'hello'],
  ])('fails a %s with body %j, which may have been carried out', async (method, body) => {
    for (const replica of [first, second]) replica.onRequest = breaks;
    router = await circuitRouter({}, { random: () => 0 }).start(circuitOn([first.port, second.port]));
    const lines = `connection: close\r\ncontent-length: ${body.length}\r\n`;
    expect(await exchange(head(method, lines) + body)).toMatch(/^HTTP\/1\.1 502/);
    expect(first.requests.length + second.requests.length).toBe(1);
    await expectIdle();
  });

  it('is worth a second try where it is the only one: a kept connection may have closed meanwhile', async () => {
    first.onRequest = (request, response) => {
      if (first.requests.length === 1) breaks(request);
      else response.end('again');
    };
    router = await circuitRouter().start(circuitOn([first.port]));
    expect(await exchange(head('GET', 'connection: close\r\n'))).toContain('again');
  });
});

describe('connections to replicas', () => {
  it('are kept for what can be sent twice, and new for what cannot', async () => {
    first.onRequest = (request, response) => void request.resume().once('end', () => response.end('ok'));
    router = await circuitRouter().start(circuitOn([first.port]));
    for (const [method, connections] of [
      ['GET', 1],
      ['GET', 1],
      ['POST', 2],
      ['POST', 3],
      ['GET', 3],
    ] as const) {
      await exchange(head(method, 'connection: close\r\ncontent-length: 0\r\n'));
      expect(first.connections).toBe(connections);
    }
  });
});

describe('a replica that breaks off inside its answer', () => {
  it.each([
    ['of known length', (response: ServerResponse) => response.writeHead(200, { 'content-length': '50' })],
    ['of unknown length', (response: ServerResponse) => response.writeHead(200)],
  ])('%s cuts the client off', async (_which, start) => {
    first.onRequest = (_request, response) => void start(response).write('part', () => response.destroy());
    router = await circuitRouter().start(circuitOn([first.port]));
    const answer = await exchange(head('GET'));
    expect(answer).toContain('part');
    expect(answer).not.toMatch(/0\r\n\r\n$/);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'cut', status: 200, 'error.code': 'upstream_error' });
    await expectIdle();
  });
});

describe('a client that leaves', () => {
  it('inside its body ends the connection to the replica, which never sees an end of the body', async () => {
    let ended = false;
    let got = '';
    first.onRequest = (request) => {
      request.on('data', (piece: Buffer) => (got += piece.toString())).on('end', () => (ended = true));
      request.on('error', () => undefined);
    };
    router = await circuitRouter().start(circuitOn([first.port]));
    const client = await RawClient.open(router.port);
    client.send(head('POST', 'transfer-encoding: chunked\r\n') + '4\r\nhalf\r\n');
    await until(() => got === 'half');
    client.socket.destroy();
    await until(() => first.sockets.size === 0);
    expect(ended).toBe(false);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', status: null });
    await expectIdle();
  });

  it('inside the answer ends the connection to the replica', async () => {
    first.onRequest = (_request, response) => void response.write('part');
    router = await circuitRouter().start(circuitOn([first.port]));
    const client = (await RawClient.open(router.port)).read().send(head('GET'));
    await until(() => client.answer.includes('part'));
    client.socket.destroy();
    await until(() => first.sockets.size === 0);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', status: 200 });
    await expectIdle();
  });

  it('while it sends what is no chunk gets a 400, and the replica no end of the body', async () => {
    let ended = false;
    first.onRequest = (request) =>
      void request
        .on('end', () => (ended = true))
        .on('error', () => undefined)
        .resume();
    router = await circuitRouter().start(circuitOn([first.port]));
    const client = (await RawClient.open(router.port)).read();
    client.send(head('POST', 'transfer-encoding: chunked\r\n') + '4\r\nhalf\r\n');
    await until(() => first.requests.length === 1);
    client.send('nonsense\r\n');
    await until(() => client.answer.startsWith('HTTP/1.1 400'));
    client.socket.destroy();
    await until(() => first.sockets.size === 0);
    expect(ended).toBe(false);
    await expectIdle();
  });
});

describe('silence', () => {
  it('of a client inside its body is a 408', async () => {
    first.onRequest = (request) => void request.on('error', () => undefined).resume();
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, idleMs: 60 } }).start(circuitOn([first.port]));
    const client = (await RawClient.open(router.port)).read();
    client.send(head('POST', 'content-length: 9\r\n') + 'half');
    await until(() => client.answer.startsWith('HTTP/1.1 408'));
    client.socket.destroy();
    await until(() => first.sockets.size === 0);
    await expectIdle();
  });

  it('of a replica before its head is a 504', async () => {
    first.onRequest = (request) => void request.resume();
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, headersMs: 60 } }).start(circuitOn([first.port]));
    expect(await exchange(head('POST', 'connection: close\r\ncontent-length: 4\r\n') + 'full')).toMatch(
      /^HTTP\/1\.1 504/,
    );
    await until(() => first.sockets.size === 0);
    await expectIdle();
  });

  it('of a replica inside its answer cuts the client off, and says nothing of the replica’s health', async () => {
    first.onRequest = (_request, response) => void response.write('part');
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, idleMs: 60 } }).start(circuitOn([first.port]));
    for (let round = 1; round <= 4; round += 1) expect(await exchange(head('GET'))).toContain('part');
    await expectIdle();
    expect(router.requests[0]).toMatchObject({ outcome: 'cut', 'error.code': 'upstream_timeout' });
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ healthy: true, failures: 0 });
  });

  it('of a client that does not read ends its request', async () => {
    first.onRequest = (_request, response) => void response.write(Buffer.alloc(32 * 1024 * 1024));
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, idleMs: 400 } }).start(circuitOn([first.port]));
    const client = await RawClient.open(router.port);
    client.send(head('GET'));
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed' });
    await until(() => first.sockets.size === 0);
    client.socket.destroy();
  });

  it('is what counts: a body may take longer than held ones may, as long as it moves', async () => {
    first.onRequest = (request, response) => void request.resume().once('end', () => response.end('whole'));
    const arrival = { headMs: 100, bodyMs: 100, checkEveryMs: 20 };
    router = await circuitRouter({}, { arrival }).start(circuitOn([first.port]));
    const client = (await RawClient.open(router.port)).read();
    client.send(head('POST', 'connection: close\r\ntransfer-encoding: chunked\r\n') + '4\r\nhalf\r\n');
    const begun = performance.now();
    await until(() => performance.now() > begun + 300);
    client.send('4\r\nhalf\r\n0\r\n\r\n');
    await client.closed;
    expect(client.answer).toMatch(/^HTTP\/1\.1 200 [^]*whole/);
  });
});

describe('health', () => {
  it('is not learned from the statuses of paths we do not know', async () => {
    first.onRequest = (_request, response) => void response.writeHead(503).end();
    router = await circuitRouter().start(circuitOn([first.port]));
    for (let round = 1; round <= 5; round += 1) {
      expect(await exchange(head('GET', 'connection: close\r\n'))).toMatch(/^HTTP\/1\.1 503/);
    }
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ healthy: true, failures: 0 });
  });

  it('comes back with the first answer once a replica is back', async () => {
    const port = await deadPort();
    router = await circuitRouter().start(circuitOn([port]));
    await exchange(head('GET', 'connection: close\r\n'));
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ healthy: false });
    await second.close();
    second = await new HttpUpstream().listen(port);
    second.onRequest = (_request, response) => void response.writeHead(404).end();
    expect(await exchange(head('GET', 'connection: close\r\n'))).toMatch(/^HTTP\/1\.1 404/);
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ healthy: true, failures: 0 });
  });
});

describe('a drain', () => {
  it('waits for what passes through, and cuts it off at its deadline', async () => {
    first.onRequest = (_request, response) => void response.write('part');
    router = await circuitRouter().start(circuitOn([first.port]));
    const client = (await RawClient.open(router.port)).read().send(head('GET'));
    await until(() => client.answer.includes('part'));
    expect(await router.plane.drain(30)).toEqual({ cutOff: 1 });
    await client.closed;
    expect(router.requests[0]).toMatchObject({ outcome: 'cut', 'error.code': 'draining' });
    await until(() => first.sockets.size === 0);
  });
});
