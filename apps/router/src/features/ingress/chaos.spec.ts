import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_LINES, RawClient, rawChat, rawPost } from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

const ROUNDS = 240;
const AT_ONCE = 20;

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

function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

const REPLICA_MOVES: readonly Move<ServerResponse>[] = [
  (response) => void response.end('{"usage":{"total_tokens":1}}'),
  (response) => void stream(response).end('data: 1\n\ndata: [DONE]\n\n'),
  (response) => void stream(response).write(': ping\n\n', () => response.destroy()),
  (response) => void stream(response).write('data: 1\n\n', () => response.destroy()),
  (response) => void response.destroy(),
  (response) => void response.writeHead(503).end('no'),
  (response) => void response.writeHead(429, { 'content-length': '9' }).end('too many.'),
  (response) => void response.writeHead(204).end(),
  () => undefined,
  (response) => void stream(response).flushHeaders(),
  (response) => void response.socket?.end('nonsense'),
  (response) =>
    void response.writeHead(200, { 'content-length': '50' }).write('short', () => response.destroy()),
];

const BODY = '{"model":"m","stream":true}';

const CLIENT_MOVES: readonly Move<RawClient>[] = [
  (client) => void client.send(rawChat(BODY)),
  (client) => void client.send(rawChat(BODY, 'connection: close\r\n')),
  (client) => void client.send(rawChat(BODY).repeat(5)),
  (client) => void client.send(rawChat(BODY, 'expect: 100-continue\r\n')),
  (client) =>
    void client.send(
      rawPost(`${AUTH_LINES}transfer-encoding: chunked\r\n`, 'd\r\n{"model":"m"}\r\n0\r\n\r\n'),
    ),
  (client) => void client.send(rawPost(`${AUTH_LINES}content-length: 900\r\n`, '{')),
  (client) => void client.send(rawPost(`${AUTH_LINES}content-length: 9000000\r\n`, '{')),
  (client) => void client.send('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n'),
  (client) => void client.send('\0\r\n\r\n'),
  (client) => void client.send(`${rawChat(BODY)}\0\r\n\r\n`),
  (client) =>
    void client.send(
      `${rawChat(BODY)}GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    ),
  (client, random) => void client.send(rawChat(BODY).slice(0, Math.floor(random() * 200))),
];

const ENDS: readonly Move<RawClient>[] = [
  (client) => void client.socket.destroy(),
  (client) => void client.socket.end(),
  (client) => void client.socket.resetAndDestroy(),
  () => undefined,
];

let replicas: ScriptedUpstream[];

beforeEach(async () => {
  replicas = await Promise.all([1, 2, 3].map(() => new ScriptedUpstream().listen()));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await Promise.all(replicas.map((replica) => replica.close()));
});

describe('whatever clients and replicas do', () => {
  it('every request ends once and leaves nothing behind', async () => {
    const random = generator(20_261_129);
    for (const replica of replicas)
      replica.script = (_seen, response) => pick(REPLICA_MOVES, random)(response, random);
    const timeouts = { connectMs: 200, headersMs: 100, streamHeadersMs: 100, idleMs: 100, requestMs: 400 };
    const arrival = { headMs: 200, bodyMs: 200, checkEveryMs: 50 };
    const router = await new TestRouter({ timeouts }, { arrival }).start(
      modelOn(...replicas.map((replica) => replica.port)),
    );
    const one = async (): Promise<void> => {
      const client = await RawClient.open(router.port);
      if (random() < 0.8) client.read();
      pick(CLIENT_MOVES, random)(client, random);
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 60)));
      pick(ENDS, random)(client, random);
      // A client that reads nothing does not notice that it was closed.
      const timer = setTimeout(() => client.socket.destroy(), 250);
      await client.closed;
      clearTimeout(timer);
    };
    for (let done = 0; done < ROUNDS; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    await until(() => router.plane.inFlight === 0);
    const ids = router.requests.map((line) => line['request_id']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(ROUNDS / 2);
    expect(router.requests.filter((line) => line['error.code'] === 'internal_error')).toEqual([]);
    const text = await router.metrics.text();
    expect(text).toMatch(/penstock_router_requests_in_flight\{[^}]*\} 0\n/);
    expect(text).toMatch(/penstock_router_buffered_bytes\{[^}]*\} 0\n/);
    for (const group of router.plane.groups())
      for (const { in_flight } of group.replicas) expect(in_flight).toBe(0);
    const ended = [...text.matchAll(/penstock_router_requests_total\{[^}]*\} (\d+)/g)];
    expect(ended.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(ids.length);
    expect(await router.plane.drain(1_000)).toEqual({ cutOff: 0 });
  });
});
