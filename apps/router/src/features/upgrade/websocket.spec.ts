import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer, type ClientOptions } from 'ws';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { TestRouter, until } from '../../testing/test-router.js';

const MIB = 1024 * 1024;

let upstream: HttpUpstream;
let server: WebSocketServer;
let router: TestRouter;
let clients: WebSocket[] = [];

/** The replica's end of the last connection. */
let replica: WebSocket;

function serve(options: ConstructorParameters<typeof WebSocketServer>[0] = {}): void {
  server = new WebSocketServer({ noServer: true, maxPayload: 16 * MIB, ...options });
  upstream.onUpgrade = (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (opened) => {
      replica = opened;
      opened.on('error', () => undefined);
      opened.on('message', (data: Buffer, isBinary) => opened.send(data, { binary: isBinary }));
    });
}

beforeEach(async () => {
  upstream = await new HttpUpstream().listen();
  serve();
  router = await circuitRouter().start(circuitOn([upstream.port]));
});

afterEach(async () => {
  for (const client of clients) client.terminate();
  clients = [];
  await TestRouter.stopAll();
  await upstream.close();
});

function connect(protocols: string[] = [], { headers, ...options }: ClientOptions = {}): WebSocket {
  const url = `ws://127.0.0.1:${router.port}/ws/../chat?x=%2F1`;
  const client = new WebSocket(url, protocols, {
    maxPayload: 16 * MIB,
    headers: { host: HOST, ...headers },
    ...options,
  });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

async function open(protocols?: string[], options?: ClientOptions): Promise<WebSocket> {
  const client = connect(protocols, options);
  await once(client, 'open');
  return client;
}

async function ask(client: WebSocket, message: string | Buffer): Promise<string | Buffer> {
  client.send(message);
  const [data, isBinary] = (await once(client, 'message')) as [Buffer, boolean];
  return isBinary ? data : data.toString();
}

async function closeOf(socket: WebSocket): Promise<[number, string]> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
}

describe('a WebSocket to a circuit', () => {
  it('carries text and binary messages both ways, and is one request', async () => {
    const client = await open();
    expect(await ask(client, 'hi')).toBe('hi');
    expect(await ask(client, Buffer.from([0, 1]))).toEqual(Buffer.from([0, 1]));
    expect(router.plane.inFlight).toBe(1);
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ in_flight: 1 });
    client.close();
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({
      route: 'upgrade',
      status: 101,
      outcome: 'completed',
      attempts: 1,
    });
    expect(router.requests[0]?.['answer_bytes']).toBeGreaterThan(0);
    await until(() => router.plane.inFlight === 0);
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ in_flight: 0 });
  });

  it('shows the replica what the client sent, and who it is', async () => {
    const headers = {
      cookie: 'a=1',
      authorization: 'Bearer t',
      'x-custom': 'yes',
      'x-forwarded-for': '9.9.9.9',
    };
    await open(['chat.v0', 'chat.v1'], { headers, origin: 'https://page' });
    const request = upstream.requests[0] as IncomingMessage;
    expect(request.url).toBe('/chat?x=%2F1');
    expect(request.headers).toMatchObject({
      host: HOST,
      cookie: 'a=1',
      authorization: 'Bearer t',
      origin: 'https://page',
      'x-custom': 'yes',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': HOST,
      'sec-websocket-protocol': 'chat.v0,chat.v1',
      upgrade: 'websocket',
      connection: 'Upgrade',
    });
    expect(request.headers['sec-websocket-extensions']).toContain('permessage-deflate');
  });

  it('has the subprotocol and the extensions that the replica chose', async () => {
    serve({ handleProtocols: () => 'chat.v1', perMessageDeflate: true });
    const client = await open(['chat.v0', 'chat.v1']);
    expect(client.protocol).toBe('chat.v1');
    expect(client.extensions).toContain('permessage-deflate');
    expect(await ask(client, 'x'.repeat(5_000))).toBe('x'.repeat(5_000));
  });

  it('carries messages of 5 MiB', async () => {
    const client = await open();
    const message = Buffer.alloc(5 * MIB, 'abc');
    expect(((await ask(client, message)) as Buffer).equals(message)).toBe(true);
  });

  it('carries pings and pongs both ways', async () => {
    const client = await open();
    client.ping('a');
    expect(String((await once(client, 'pong'))[0])).toBe('a');
    replica.ping('b');
    expect(String((await once(replica, 'pong'))[0])).toBe('b');
  });

  it('is closed by the replica with its code and reason', async () => {
    const client = await open();
    replica.close(4001, 'gone fishing');
    expect(await closeOf(client)).toEqual([4001, 'gone fishing']);
  });

  it('is closed by the client with its code and reason', async () => {
    const client = await open();
    const closed = closeOf(replica);
    client.close(4001, 'enough');
    expect(await closed).toEqual([4001, 'enough']);
  });
});

describe('a side that dies', () => {
  it.each([
    ['resets', () => (replica as unknown as { _socket: Socket })._socket.resetAndDestroy()],
    ['is cut off', () => replica.terminate()],
  ])('leaves no client hanging when the replica %s', async (_how, die) => {
    const client = await open();
    const closed = closeOf(client);
    die();
    expect((await closed)[0]).toBe(1006);
    await until(() => router.requests.length === 1 && router.plane.inFlight === 0);
  });

  it('leaves no replica hanging when the client is cut off', async () => {
    const client = await open();
    const closed = closeOf(replica);
    client.terminate();
    expect((await closed)[0]).toBe(1006);
    await until(() => router.plane.inFlight === 0 && upstream.sockets.size === 0);
  });

  it('is noticed while the replica is still being asked', async () => {
    upstream.onUpgrade = (_request, socket) => void socket.resume();
    const client = connect();
    await until(() => upstream.requests.length === 1);
    client.terminate();
    await until(() => upstream.sockets.size === 0);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', status: null });
    await until(() => router.plane.inFlight === 0);
  });
});

describe('an upgrade that fails', () => {
  const statusOf = async (
    client: WebSocket,
  ): Promise<[number | undefined, string, IncomingMessage['headers']]> => {
    const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
    let text = '';
    for await (const piece of response) text += String(piece);
    return [response.statusCode, text, response.headers];
  };

  it('is the refusal of the replica, word for word', async () => {
    upstream.onUpgrade = (_request, socket) =>
      void socket.end('HTTP/1.1 403 No\r\nX-Why: because\r\nContent-Length: 4\r\n\r\nnope');
    const [status, text, headers] = await statusOf(connect());
    expect([status, text, headers['x-why']]).toEqual([403, 'nope', 'because']);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'completed', status: 403 });
    await until(() => router.plane.inFlight === 0);
  });

  it('is a refusal of any length', async () => {
    upstream.onUpgrade = (_request, socket) =>
      void socket.end(
        'HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnot\r\n6\r\n there\r\n0\r\n\r\n',
      );
    expect((await statusOf(connect())).slice(0, 2)).toEqual([404, 'not there']);
  });

  it('is a 502 where nobody listens', async () => {
    await upstream.close();
    expect((await statusOf(connect()))[0]).toBe(502);
    upstream = await new HttpUpstream().listen();
  });

  it('is a 502 outside the networks of the operator, and nobody is asked', async () => {
    router = await circuitRouter({ replicaNetworks: ['10.0.0.0/8'] }).start(circuitOn([upstream.port]));
    expect((await statusOf(connect()))[0]).toBe(502);
    expect(upstream.connections).toBe(0);
  });

  it('is a 401 without the token that the circuit needs, and nobody is asked', async () => {
    router = await circuitRouter().start(circuitOn([upstream.port], { requiresToken: true }));
    expect((await statusOf(connect()))[0]).toBe(401);
    expect(upstream.connections).toBe(0);
  });

  it('goes to another replica when the first one is away', async () => {
    const other = await new HttpUpstream().listen();
    const { port } = other;
    await other.close();
    router = await circuitRouter({}, { random: () => 0 }).start(circuitOn([port, upstream.port]));
    expect(await ask(await open(), 'hi')).toBe('hi');
  });

  it.each([
    ['bytes that are no HTTP', 'nonsense\r\n\r\n'],
    ['a head without end', `HTTP/1.1 101 x\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(80)}`],
  ])('is a 502 where the replica answers with %s', async (_what, answer) => {
    upstream.onUpgrade = (_request, socket) => void socket.resume().write(answer);
    expect((await statusOf(connect()))[0]).toBe(502);
    await until(() => upstream.sockets.size === 0);
  });
});
