import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_LINES, errorOf, RawClient, rawChat, rawExchange, rawPost } from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { keyEntry, KEY, snapshot } from '../../testing/snapshots.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

const MIB = 1024 * 1024;
const LIMITS = { bodyLimitBytes: 4 * MIB, maxBufferedBytes: 4 * MIB };

let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

async function buffered(router: TestRouter): Promise<number> {
  return Number(/penstock_router_buffered_bytes\{[^}]*\} (\d+)/.exec(await router.metrics.text())?.[1]);
}

describe('memory for bodies', () => {
  it('that could never hold one makes it too large, not the router overloaded', async () => {
    const router = await new TestRouter(LIMITS).start(modelOn(upstream.port));
    for (const length of [LIMITS.bodyLimitBytes + 1, 2 ** 53]) {
      const answer = await rawExchange(router.port, rawPost(`${AUTH_LINES}content-length: ${length}\r\n`));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(errorOf(answer).code).toBe('request_too_large');
    }
  });

  it('counts a body without an announced length while it comes, and sheds it when there is no more room', async () => {
    const router = await new TestRouter(LIMITS).start(modelOn(upstream.port));
    const chunk = `100000\r\n${' '.repeat(MIB)}\r\n`;
    const one = await RawClient.open(router.port);
    one.read().send(rawPost(`${AUTH_LINES}transfer-encoding: chunked\r\n`, chunk.repeat(3)));
    await until(async () => (await buffered(router)) === 3 * MIB);
    const other = await RawClient.open(router.port);
    other.read().send(rawPost(`${AUTH_LINES}transfer-encoding: chunked\r\n`, chunk.repeat(2)));
    await until(() => other.answer.includes('\r\n\r\n{'));
    expect(other.answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(errorOf(other.answer).code).toBe('overloaded');
    expect(await buffered(router)).toBe(3 * MIB);
    one.socket.destroy();
    await until(async () => (await buffered(router)) === 0);
  });

  it.each(['http1', 'undici'] as const)(
    'is given back once the answer has begun (%s)',
    async (replicaClient) => {
      const replica = await forgetfulReplica();
      const router = await new TestRouter({ bodyLimitBytes: 4 * MIB, replicaClient }).start(
        modelOn(replica.port),
      );
      const request = rawChat(`{"model":"m","stream":true,"prompt":"${'x'.repeat(2 * MIB)}"}`);
      const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(router.port)));
      const before = heldByBuffers();
      for (const client of clients) client.read().send(request);
      await until(() => clients.every((client) => client.answer.endsWith('data: {}\n\n\r\n')));
      expect(await buffered(router)).toBe(0);
      await until(() => heldByBuffers() - before < 10 * MIB);
      replica.close();
    },
  );
});

describe('an answer that its client does not read to the end', () => {
  it('is given up after the longest silence, though it has ended', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `${index}-${'m'.repeat(200)}`);
    const timeouts = {
      connectMs: 1_000,
      headersMs: 1_000,
      streamHeadersMs: 1_000,
      idleMs: 300,
      requestMs: 20_000,
    };
    const router = await new TestRouter({ timeouts }).start(
      snapshot({
        keys: [[KEY, keyEntry({ allowedModels: new Set(names) })]],
        routes: names.map((name) => ({ name, publication: name, endpoints: [], policy: null })),
      }),
    );
    const client = await RawClient.open(router.port);
    client.socket.pause();
    client.send(`GET /v1/models HTTP/1.1\r\nhost: x\r\n${AUTH_LINES}\r\n`);
    await until(() => router.requests.length === 1);
    expect(router.plane.inFlight).toBe(1);
    await until(() => router.plane.inFlight === 0);
    expect(await router.plane.drain(5_000)).toEqual({ cutOff: 0 });
  });
});

/** Bytes in buffers that something still refers to. */
function heldByBuffers(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Begins a stream when a request has come and keeps nothing of it, so that what is held is held by the router. */
async function forgetfulReplica(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let bytes = 0;
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('data', (piece) => {
        const wasShort = bytes < 2 * MIB;
        bytes += piece.length;
        if (wasShort && bytes >= 2 * MIB) {
          socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n');
        }
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
