import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient } from '../../testing/raw-client.js';
import { TestRouter, until } from '../../testing/test-router.js';

const SWITCHED =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\nX-Mine: 1\r\n\r\n';
const TIMEOUTS = {
  connectMs: 1_000,
  headersMs: 5_000,
  streamHeadersMs: 5_000,
  idleMs: 5_000,
  requestMs: 20_000,
};
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

let upstream: HttpUpstream;
let router: TestRouter;
/** The replica's end of the last connection. */
let replica: Duplex;
let received = '';

beforeEach(async () => {
  received = '';
  upstream = await new HttpUpstream().listen();
  upstream.onUpgrade = (_request, socket, head) => {
    replica = socket;
    received += head.toString('latin1');
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    socket.write(SWITCHED);
  };
  router = await circuitRouter({ timeouts: TIMEOUTS }).start(circuitOn([upstream.port]));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

function head(lines = 'connection: Upgrade\r\nupgrade: echo\r\n', method = 'GET'): string {
  return `${method} /t HTTP/1.1\r\nhost: ${HOST}\r\n${lines}\r\n`;
}

async function join(early = ''): Promise<RawClient> {
  const client = (await RawClient.open(router.port)).read().send(head() + early);
  await until(() => client.answer.includes('\r\n\r\n'));
  return client;
}

async function refusal(text: string): Promise<string> {
  return (await RawClient.open(router.port)).exchange(text);
}

async function ended(): Promise<Readonly<Record<string, unknown>> | undefined> {
  await until(() => router.requests.length === 1 && router.plane.inFlight === 0);
  for (const { replicas } of router.plane.groups())
    for (const { in_flight } of replicas) expect(in_flight).toBe(0);
  return router.requests[0];
}

describe('a connection that leaves HTTP', () => {
  it('may speak any protocol, named by the replica', async () => {
    const client = await join();
    expect(client.answer).toMatch(/^HTTP\/1\.1 101 [^]*connection: Upgrade\r\nupgrade: echo\r\n/);
    expect(client.answer).toContain('X-Mine: 1');
    expect(client.answer).toMatch(/x-request-id: req_/);
    client.socket.destroy();
  });

  it('keeps what each side sent together with its head', async () => {
    upstream.onUpgrade = (_request, socket) => {
      socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
      socket.write(`${SWITCHED}\0\xffearly`, 'latin1');
    };
    const client = await join('\0\xfefirst');
    await until(() => client.answer.endsWith('\0\xffearly') && received === '\0\xfefirst');
    client.socket.destroy();
  });

  it('keeps what the client sends while the replica is asked, up to a limit', async () => {
    upstream.onUpgrade = (_request, socket) => void (replica = socket);
    const client = (await RawClient.open(router.port)).read().send(head());
    await until(() => upstream.requests.length === 1);
    const bytes = 'x'.repeat(24 * 1024 * 1024);
    client.send(bytes);
    let last = -1;
    let since = performance.now();
    await until(() => {
      const { writableLength } = client.socket;
      if (writableLength !== last) since = performance.now();
      last = writableLength;
      return performance.now() - since > 100;
    });
    // The rest waits at the client: neither the system nor the router took it.
    expect(last).toBeGreaterThan(0);
    replica.on('data', (piece: Buffer) => (received += piece.toString('latin1')));
    replica.write(SWITCHED);
    await until(() => received.length === bytes.length, 10_000);
    client.socket.destroy();
  });

  it('may come behind other requests', async () => {
    upstream.onRequest = (_request, response) => void response.end('plain');
    const client = (await RawClient.open(router.port)).read();
    client.send(`GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`);
    await until(() => client.answer.includes('plain'));
    client.send(head());
    await until(() => client.answer.includes('101 Switching'));
    client.socket.destroy();
  });

  it('is one request to its circuit, which is in use as long as it carries something', async () => {
    const said: string[] = [];
    const statistics = {
      chosen: (id: string) => void said.push(`chosen ${id}`),
      inUse: (id: string) => void said.push(`in use ${id}`),
    };
    router = await circuitRouter({}, { statistics }).start(circuitOn([upstream.port]));
    const client = await join();
    for (const text of ['one', 'two', 'three']) {
      client.send(text);
      await until(() => received.endsWith(text));
    }
    client.socket.destroy();
    expect(said).toEqual(['chosen c-e1', 'in use c-e1']);
  });

  it('may end one way and go on the other', async () => {
    const client = await join();
    replica.removeAllListeners('end').once('end', () => replica.end('after your end'));
    client.socket.end('my last words');
    await client.closed;
    expect(received).toBe('my last words');
    expect(client.answer.endsWith('after your end')).toBe(true);
    expect(await ended()).toMatchObject({ outcome: 'completed', status: 101 });
  });

  it('is broken off on one side when it is on the other', async () => {
    const client = await join();
    client.socket.resetAndDestroy();
    const [error] = (await once(replica, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    expect(await ended()).toMatchObject({ outcome: 'client_closed', status: 101 });
  });

  it('is given up when neither side says anything', async () => {
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, idleMs: 60 } }).start(circuitOn([upstream.port]));
    const client = await join();
    await client.closed;
    await until(() => upstream.sockets.size === 0);
    expect(await ended()).toMatchObject({ outcome: 'cut', status: 101, 'error.code': 'upstream_timeout' });
  });

  it('ends also when one side has ended and the other one never does', async () => {
    await router.stop();
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, idleMs: 60 } }).start(circuitOn([upstream.port]));
    const client = await join();
    replica.end();
    await client.closed;
    expect(await ended()).toMatchObject({ status: 101 });
  });

  it('is read only as fast as the other side takes it', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const total = 64 * 1024 * 1024;
    let written = 0;
    upstream.onUpgrade = (_request, socket) => {
      socket.write(SWITCHED);
      const pump = (): void => {
        while (written < total) {
          written += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', pump);
        }
        socket.end();
      };
      pump();
    };
    const before = process.memoryUsage().arrayBuffers;
    const client = await RawClient.open(router.port);
    client.send(head());
    let last = -1;
    let since = performance.now();
    await until(() => {
      if (written !== last) since = performance.now();
      last = written;
      return written > 0 && performance.now() - since > 150;
    }, 10_000);
    expect(written).toBeLessThan(total / 4);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
    let bytes = 0;
    client.socket.on('data', (data: Buffer) => (bytes += data.length)).on('end', () => client.socket.end());
    await client.closed;
    expect(bytes).toBeGreaterThan(total);
    expect(await ended()).toMatchObject({ outcome: 'completed', answer_bytes: total });
  });

  it('is in flight until it is closed, and is closed at the deadline of a drain', async () => {
    const client = await join();
    expect(await router.plane.drain(30)).toEqual({ cutOff: 1 });
    await client.closed;
    await until(() => upstream.sockets.size === 0);
    expect(await ended()).toMatchObject({ outcome: 'cut', 'error.code': 'draining' });
  });

  it('ends a drain as soon as it is closed', async () => {
    const client = await join();
    const drained = router.plane.drain(20_000);
    client.socket.end();
    replica.end();
    expect(await drained).toEqual({ cutOff: 0 });
  });

  it('is not begun by a process that is about to stop', async () => {
    router.plane.beginDraining();
    expect(await refusal(head())).toMatch(/^HTTP\/1\.1 503/);
    expect(upstream.connections).toBe(0);
  });

  it('is not begun when the replica does not answer in time', async () => {
    upstream.onUpgrade = (_request, socket) => void socket.resume();
    router = await circuitRouter({ timeouts: { ...TIMEOUTS, headersMs: 60 } }).start(
      circuitOn([upstream.port]),
    );
    expect(await refusal(head())).toMatch(/^HTTP\/1\.1 504/);
    await until(() => upstream.sockets.size === 0);
  });
});

describe('a handshake', () => {
  const websocket = 'connection: Upgrade\r\nupgrade: websocket\r\n';

  it.each([
    ['without a key', head(`${websocket}sec-websocket-version: 13\r\n`)],
    [
      'with a key of another length',
      head(`${websocket}sec-websocket-version: 13\r\nsec-websocket-key: YQ==\r\n`),
    ],
    [
      'with two keys',
      head(
        `${websocket}sec-websocket-version: 13\r\nsec-websocket-key: ${KEY}\r\nsec-websocket-key: ${KEY}\r\n`,
      ),
    ],
    ['without a version', head(`${websocket}sec-websocket-key: ${KEY}\r\n`)],
    ['by POST', head(`${websocket}sec-websocket-version: 13\r\nsec-websocket-key: ${KEY}\r\n`, 'POST')],
    [
      'with two hosts',
      head(`host: y\r\n${websocket}sec-websocket-version: 13\r\nsec-websocket-key: ${KEY}\r\n`),
    ],
    ['by OPTIONS, which needs no credential', head(undefined, 'OPTIONS')],
  ])('%s is refused, and nobody is asked', async (_what, text) => {
    expect(await refusal(text)).toMatch(/^HTTP\/1\.1 400/);
    expect(upstream.connections).toBe(0);
    expect(await ended()).toMatchObject({ outcome: 'refused', status: 400 });
  });

  it.each([
    ['of newer HTTP', head('connection: close, Upgrade\r\nupgrade: h2c\r\n')],
    [
      'with a body',
      `${head('connection: close, Upgrade\r\nupgrade: echo\r\ncontent-length: 5\r\n', 'POST')}hello`,
    ],
  ])('%s is an offer that is not taken: the request stays what it is', async (_what, text) => {
    upstream.onRequest = (request, response) => {
      request
        .on('data', (bytes: Buffer) => (received += bytes.toString()))
        .on('end', () => response.end('plain'));
    };
    expect(await refusal(text)).toMatch(/^HTTP\/1\.1 200 [^]*plain/);
    expect(upstream.requests[0]?.headers.upgrade).toBeUndefined();
    expect(received).toBe(text.includes('hello') ? 'hello' : '');
  });

  it('of a version that the replica does not speak is its to refuse', async () => {
    const server = new WebSocketServer({ noServer: true });
    upstream.onUpgrade = (request, socket, early) =>
      server.handleUpgrade(request, socket, early, () => undefined);
    const answer = await refusal(
      head(`${websocket}sec-websocket-version: 99\r\nsec-websocket-key: ${KEY}\r\n`),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [^]*Sec-WebSocket-Version: 13, 8\r\n/);
  });

  it('that comes behind an unanswered request ends the connection', async () => {
    upstream.onRequest = () => undefined;
    const plain = `GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`;
    expect(await refusal(plain + head())).toBe('');
    await until(() => router.plane.inFlight === 0);
  });

  it('in ROUTER mode is refused as before', async () => {
    await router.stop();
    router = await new TestRouter().start(circuitOn([upstream.port]));
    const text = head(`${websocket}sec-websocket-version: 13\r\nsec-websocket-key: ${KEY}\r\n`);
    expect(await refusal(text)).toMatch(/^HTTP\/1\.1 400/);
    expect(upstream.connections).toBe(0);
  });
});
