import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RawUpstream } from '../../../../testing/raw-upstream.js';
import { until } from '../../../../testing/test-router.js';
import { callReplica, type ReceivedAnswer } from '../../testing/call-replica.js';
import type { PullSource, ReplicaAddress, ReplicaRequest, ReplicaSink } from '../../replica-client.port.js';
import { TimerWheel } from '../../timer-wheel.js';
import { Http1ReplicaClient } from './http1-replica.client.js';

const GET: ReplicaRequest = { method: 'GET', path: '/x', headers: [], body: null };
const OK = 'HTTP/1.1 200 OK\r\n';
const SHORT = `${OK}content-length: 1\r\n\r\na`;

/** A clock that can be put forward. */
class MovableClock extends TimerWheel {
  aheadMs = 0;

  override now(): number {
    return super.now() + this.aheadMs;
  }
}

let upstream: RawUpstream;
let timers: MovableClock;
let client: Http1ReplicaClient;

beforeEach(async () => {
  upstream = await new RawUpstream().listen();
  upstream.script = (socket) => void socket.write(SHORT);
  timers = new MovableClock();
  client = create();
});

afterEach(async () => {
  await client.destroy();
  await upstream.close();
});

function create(idlePerReplicaMax?: number): Http1ReplicaClient {
  const networks = ['127.0.0.0/8'];
  return new Http1ReplicaClient({ timers, connectTimeoutMs: 300, networks, idlePerReplicaMax });
}

function at(port: number): ReplicaAddress {
  return { key: `127.0.0.1:${port}`, host: '127.0.0.1', port };
}

function call(request: ReplicaRequest = GET): Promise<ReceivedAnswer> {
  return callReplica(client, at(upstream.port), request);
}

async function calls(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => call()));
}

/** Some turns of the event loop, for what would have happened by then. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a connection', () => {
  it('carries one call after the other', async () => {
    for (let round = 0; round < 10; round += 1)
      expect(await call()).toMatchObject({ body: 'a', failure: null });
    expect(upstream.connections).toBe(1);
  });

  it('is a new one for a call that asks for it, and kept after that like any other', async () => {
    for (const [fresh, connections] of [
      [false, 1],
      [true, 2],
      [false, 2],
    ] as const) {
      expect(await call({ ...GET, fresh })).toMatchObject({ body: 'a' });
      expect(upstream.connections).toBe(connections);
    }
  });

  it('is used again right from within the end of an answer', async () => {
    await new Promise<void>((resolve, reject) => {
      const sink = (end: () => void): ReplicaSink => ({
        head: () => undefined,
        data: () => true,
        end,
        fail: (_failure, cause) => reject(cause),
      });
      client.send(
        at(upstream.port),
        GET,
        sink(() => void client.send(at(upstream.port), GET, sink(resolve))),
      );
    });
    expect(upstream.connections).toBe(1);
  });

  it('carries the next call also when the last answer was paused to its end', async () => {
    upstream.script = (socket) =>
      void socket.write(`${OK}content-length: 2\r\n\r\na`, () => socket.write('b'));
    for (let round = 0; round < 3; round += 1) {
      const body = await new Promise<string>((resolve, reject) => {
        let text = '';
        const sink: ReplicaSink = {
          head: () => undefined,
          data: (bytes) => ((text += bytes.toString()), setImmediate(() => running.resume()), false),
          end: () => resolve(text),
          fail: (_failure, cause) => reject(cause),
        };
        const running = client.send(at(upstream.port), GET, sink);
      });
      expect(body).toBe('ab');
    }
    expect(upstream.connections).toBe(1);
  });

  it.each([
    ['bytes follow the answer', `${SHORT}x`],
    ['a second answer follows', SHORT + SHORT],
    ['the replica speaks an older version', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na'],
  ])('is closed when %s', async (_what, bytes) => {
    upstream.script = (socket) => void socket.write(bytes);
    for (let round = 0; round < 3; round += 1)
      expect(await call()).toMatchObject({ body: 'a', failure: null });
    expect(upstream.connections).toBe(3);
    await until(() => upstream.sockets.size === 0);
  });

  it('that is idle is closed by whatever comes on it', async () => {
    await call();
    for (const socket of upstream.sockets) socket.write(SHORT);
    await until(() => upstream.sockets.size === 0);
    expect(await call()).toMatchObject({ body: 'a', failure: null });
    expect(upstream.connections).toBe(2);
  });

  it('that is idle is forgotten when the replica closes it', async () => {
    await call();
    for (const socket of upstream.sockets) socket.end();
    await until(() => upstream.sockets.size === 0);
    await turns();
    expect(await call()).toMatchObject({ body: 'a', failure: null });
  });

  it('that is idle too long is closed', async () => {
    await calls(3);
    expect(upstream.sockets.size).toBe(3);
    timers.aheadMs = 5_000;
    await until(() => upstream.sockets.size === 0);
  });

  it('is not used again once it is older than the replica keeps it', async () => {
    upstream.script = (socket) =>
      void socket.write(`${OK}keep-alive: timeout=2\r\ncontent-length: 1\r\n\r\na`);
    await call();
    timers.aheadMs = 900;
    await call();
    expect(upstream.connections).toBe(1);
    timers.aheadMs = 2_000;
    await call();
    expect(upstream.connections).toBe(2);
  });

  it('is not kept beyond the number of idle ones', async () => {
    client = create(2);
    await calls(6);
    await until(() => upstream.sockets.size === 2);
  });

  it('is closed with its upload when the answer comes first', async () => {
    upstream.script = (socket) => void (upstream.turns < 4 && socket.pause(), socket.write(SHORT));
    for (let round = 0; round < 3; round += 1) {
      const answer = await call({ ...GET, method: 'POST', body: Buffer.alloc(8_000_000) });
      expect(answer).toMatchObject({ status: 200, body: 'a', failure: null });
    }
    expect(upstream.connections).toBe(3);
    for (const socket of upstream.sockets) socket.resume();
    await until(() => upstream.sockets.size === 0);
  });

  it('that cannot be made in time fails its call as connect', async () => {
    const full = await fullServer();
    const answer = await callReplica(client, at(full.port), GET);
    expect(answer.failure).toBe('connect');
    await full.stop();
  });

  it('that was never made is given up by an abort', async () => {
    const full = await fullServer();
    const heard: string[] = [];
    const note = (what: string) => (): boolean => (heard.push(what), true);
    const sink = { head: note('head'), data: note('data'), end: note('end'), fail: note('fail') };
    client.send(at(full.port), GET, sink).abort();
    await turns();
    expect(heard).toEqual([]);
    await full.stop();
  });
});

describe('an answer cut off', () => {
  it.each([
    ['of known length', `${OK}content-length: 5\r\n\r\nhello`],
    ['in chunks', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  ])('%s at any byte is a reset, and whole is whole', async (_what, text) => {
    for (let end = 0; end < text.length; end += 1) {
      upstream.script = (socket) => void socket.end(text.slice(0, end));
      expect(await call()).toMatchObject({ failure: 'reset' });
    }
    upstream.script = (socket) => void socket.end(text);
    expect(await call()).toMatchObject({ body: 'hello', failure: null });
  });

  it('by a reset is a reset, also when only its end would have ended it', async () => {
    upstream.script = (socket) => void socket.write(`${OK}\r\nhalf`, () => socket.resetAndDestroy());
    expect(await call()).toMatchObject({ failure: 'reset' });
  });
});

describe('a header value', () => {
  it('comes without the blanks around it', async () => {
    upstream.script = (socket) => void socket.write(`${OK}X-A: \t b c \t \r\ncontent-length: 0\r\n\r\n`);
    expect((await call()).headers.slice(0, 2)).toEqual(['X-A', 'b c']);
  });
});

describe('an answer that comes while the body is still being sent', () => {
  const TOO_LARGE = 'HTTP/1.1 413 Too Large\\r\\nconnection: close\\r\\ncontent-length: 2\\r\\n\\r\\nno';

  it.each([
    ['of known length', 3 * 256],
    ['in chunks', null],
  ])('is heard although the replica has closed under a body %s', async (_what, length) => {
    const replica = await refusingServer(TOO_LARGE);
    let pulls = 0;
    const body: PullSource = {
      length,
      pull: () => {
        pulls += 1;
        // The answer and the reset are here, but this thread has had no chance to read them.
        if (pulls === 2) Atomics.wait(replica.refused, 0, 0, 5_000);
        return Promise.resolve(pulls < 4 ? Buffer.alloc(256) : null);
      },
    };
    const answer = await callReplica(client, at(replica.port), { ...GET, method: 'POST', body });
    expect(answer).toMatchObject({ status: 413, body: 'no', failure: null });
    await replica.stop();
  });
});

/** A server in a thread of its own that answers whatever comes at once and resets the connection. */
async function refusingServer(answer: string): Promise<{
  readonly port: number;
  /** Becomes 1 when that has happened. */
  readonly refused: Int32Array;
  stop(): Promise<unknown>;
}> {
  const refused = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { parentPort, workerData: refused } = require('node:worker_threads');
     const done = () => (Atomics.store(refused, 0, 1), Atomics.notify(refused, 0));
     const server = require('node:net').createServer((socket) => {
       socket.on('error', () => undefined).on('close', done);
       socket.once('data', () => socket.write('${answer}', () => socket.resetAndDestroy()));
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: refused },
  );
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { port, refused, stop: () => worker.terminate() };
}

/** A server that accepts no more connections: its thread sleeps, and what may wait for it is used up. */
async function fullServer(): Promise<{ readonly port: number; stop(): Promise<unknown> }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
     });`,
    { eval: true },
  );
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const filler = new Http1ReplicaClient({
    timers: new TimerWheel(),
    connectTimeoutMs: 60_000,
    networks: ['127.0.0.1'],
  });
  const sink: ReplicaSink = {
    head: () => undefined,
    data: () => true,
    end: () => undefined,
    fail: () => undefined,
  };
  for (let count = 0; count < 8; count += 1) filler.send(at(port), GET, sink);
  await turns();
  return { port, stop: () => Promise.all([filler.destroy(), worker.terminate()]) };
}
