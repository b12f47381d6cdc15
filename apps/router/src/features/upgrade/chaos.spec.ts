import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient } from '../../testing/raw-client.js';
import { TestRouter, until } from '../../testing/test-router.js';

const ROUNDS = 200;
const AT_ONCE = 20;
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n';

type Random = () => number;
type Move<T> = (subject: T, random: Random) => void;

/** Small deterministic generator, so that a failure can be repeated. */
function generator(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

const SWITCH_MOVES: readonly Move<Duplex>[] = [
  (socket) => void socket.pipe(socket.on('error', () => undefined)).write(SWITCHED),
  (socket) => void socket.resume().write(`${SWITCHED}early`),
  (socket) => void socket.resume().end(`${SWITCHED}and gone`),
  (socket) => void socket.resume().write(SWITCHED, () => socket.destroy()),
  (socket) => void socket.resume().write(SWITCHED.slice(0, 40)),
  (socket) => void socket.resume().write(`${SWITCHED}${'x'.repeat(4 * 1024 * 1024)}`),
  (socket) => void socket.resume().end('HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno'),
  (socket) => void socket.resume().end('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n'),
  (socket) => void socket.resume().write('nonsense\r\n\r\n'),
  (socket) => void socket.resume(),
  (socket) => void socket.destroy(),
];

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const ANSWER_MOVES: readonly Move<Call>[] = [
  ({ request, response }) => void request.pipe(response),
  ({ request, response }) => void request.resume().once('end', () => response.end('whole')),
  ({ response }) => void response.end('at once'),
  ({ response }) => void response.writeHead(204).end(),
  ({ response }) => void response.writeHead(413, { connection: 'close' }).end('too large'),
  ({ response }) =>
    void response.writeHead(200, { 'content-length': '50' }).write('short', () => response.destroy()),
  ({ response }) => void response.write('part', () => response.destroy()),
  ({ response }) => void response.write(Buffer.alloc(4 * 1024 * 1024)),
  ({ response }) => void response.writeHead(200).flushHeaders(),
  ({ request }) => void request.socket.destroy(),
  ({ request }) => void request.socket.end('nonsense'),
  () => undefined,
];

const ASK = `GET /t HTTP/1.1\r\nhost: ${HOST}\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n`;
const PLAIN = `GET /f HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`;
const CHUNKED = `POST /f HTTP/1.1\r\nhost: ${HOST}\r\ntransfer-encoding: chunked\r\n\r\n`;
const SIZED = `PUT /f HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 300000\r\n\r\n`;

const CLIENT_MOVES: readonly Move<RawClient>[] = [
  (client) => void client.send(ASK),
  (client) => void client.send(`${ASK}early`),
  (client) => void client.send(ASK + 'x'.repeat(300_000)),
  (client, random) => void client.send(ASK.slice(0, Math.floor(random() * ASK.length))),
  (client) => void client.send(PLAIN),
  (client) => void client.send(PLAIN.repeat(4)),
  (client) => void client.send(PLAIN + ASK),
  (client) => void client.send(`${CHUNKED}4\r\nhalf\r\n4\r\nhalf\r\n0\r\n\r\n${PLAIN}`),
  (client) => void client.send(`${CHUNKED}4\r\nhalf\r\n`),
  (client) => void client.send(`${CHUNKED}4\r\nhalf\r\nnonsense`),
  (client) => void client.send(SIZED + 'x'.repeat(300_000)),
  (client) => void client.send(SIZED + 'x'.repeat(100_000)),
  (client) => void client.send(SIZED.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n')),
];

const ENDS: readonly Move<RawClient>[] = [
  (client) => void client.socket.destroy(),
  (client) => void client.socket.end(),
  (client) => void client.socket.resetAndDestroy(),
  () => undefined,
];

let replicas: HttpUpstream[];
/** Every connection that the router, or a client, has made. */
let dialled: Socket[] = [];

function noteDialled(message: unknown): void {
  dialled.push((message as { readonly socket: Socket }).socket);
}

beforeEach(async () => {
  dialled = [];
  subscribe('net.client.socket', noteDialled);
  replicas = await Promise.all([1, 2, 3].map(() => new HttpUpstream().listen()));
});

afterEach(async () => {
  unsubscribe('net.client.socket', noteDialled);
  await TestRouter.stopAll();
  await Promise.all(replicas.map((replica) => replica.close()));
});

async function start(random: Random): Promise<TestRouter> {
  for (const replica of replicas) {
    replica.onRequest = (request, response) => {
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      pick(ANSWER_MOVES, random)({ request, response }, random);
    };
    replica.onUpgrade = (_request, socket) => pick(SWITCH_MOVES, random)(socket, random);
  }
  const timeouts = { connectMs: 200, headersMs: 100, streamHeadersMs: 100, idleMs: 100, requestMs: 400 };
  const arrival = { headMs: 200, bodyMs: 200, checkEveryMs: 50 };
  return circuitRouter({ timeouts }, { arrival }).start(circuitOn(replicas.map(({ port }) => port)));
}

describe('whatever clients and replicas do with what passes through', () => {
  it('every request ends once and leaves nothing behind', async () => {
    const random = generator(20_261_130);
    const router = await start(random);
    const one = async (): Promise<void> => {
      const client = await RawClient.open(router.port);
      if (random() < 0.8) client.read();
      pick(CLIENT_MOVES, random)(client, random);
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 60)));
      pick(ENDS, random)(client, random);
      // A client that reads nothing does not notice that it was closed.
      const timer = setTimeout(() => client.socket.destroy(), 250);
      await client.closed.catch(() => undefined);
      clearTimeout(timer);
    };
    for (let done = 0; done < ROUNDS; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    await until(() => router.plane.inFlight === 0);
    const ids = router.requests.map((line) => line['request_id']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(ROUNDS / 2);
    expect(router.requests.filter((line) => line['error.code'] === 'internal_error')).toEqual([]);
    for (const group of router.plane.groups())
      for (const { in_flight } of group.replicas) expect(in_flight).toBe(0);
    expect(dialled.length).toBeGreaterThan(ROUNDS);
    const text = await router.metrics.text();
    expect(text).toMatch(/penstock_router_requests_in_flight\{[^}]*\} 0\n/);
    const ended = [...text.matchAll(/penstock_router_requests_total\{[^}]*\} (\d+)/g)];
    expect(ended.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(ids.length);
    expect(await router.plane.drain(1_000)).toEqual({ cutOff: 0 });
    await until(() => dialled.every(({ destroyed }) => destroyed));
  });
});
