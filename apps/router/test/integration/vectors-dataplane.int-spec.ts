import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { WebSocket, WebSocketServer } from 'ws';
import { hostCall } from '../../src/testing/host-client.js';
import { HttpUpstream } from '../../src/testing/http-upstream.js';
import { DOMAIN, JWT_SECRET, RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

type Headers = readonly (readonly [string, string])[];

interface Recorded {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly body?: { readonly target: string; readonly headers: Headers };
}

const recorded = loadVectors<{
  readonly requests: readonly (
    Recorded | { readonly name: 'targets'; readonly sent_and_received: [string, string][] }
  )[];
}>('recorded-dataplane');

/**
 * Inference calls, and preflights of the model API, are not passed through; the others belong to listeners that a
 * wildcard worker for models has not.
 */
const SKIPPED = /^(?:dp-ok|dp-options|port-|ia-)/;
/** What the stock worker adds to every request; ours adds nothing to what a client negotiates. */
const ADDED = ['accept', 'accept-encoding', 'user-agent'];
/** What our hop says in its own words: see docs/services/router/passthrough.md. */
const OWN_WORDS = ['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto', 'forwarded'];

const requests = recorded.requests.filter(
  (entry): entry is Recorded => 'request' in entry && !SKIPPED.test(entry.name),
);
const targets = recorded.requests.flatMap((entry) =>
  'sent_and_received' in entry ? entry.sent_and_received : [],
);

let upstream: HttpUpstream;
let worker: RunningWorker;
const circuit = (over: Parameters<typeof vectorCircuit>[1] = {}) => vectorCircuit(upstream.port, over);
const token = () => `Bearer ${signHs256({ id: circuit().id }, JWT_SECRET)}`;

/** The replica of the recording: says what it received. */
function replica({ method, url = '', rawHeaders }: IncomingMessage, response: ServerResponse): void {
  const status = Number(/^\/status\/(\d+)/.exec(url)?.[1] ?? 200);
  if (url === '/redirect') return void response.writeHead(302, { location: '/elsewhere' }).end();
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : [],
  );
  response.writeHead(status).end(JSON.stringify({ method, target: url, headers }));
}

beforeAll(async () => {
  upstream = await new HttpUpstream().listen();
  upstream.onRequest = replica;
  worker = await RunningWorker.start('wildcard', { drain_timeout_ms: 200 });
  await worker.create(
    circuit(),
    circuit({ ...numbered(1), subdomain: 'llama-a-8158c907', open_to_public: true }),
  );
});

afterAll(async () => {
  await worker.stop();
  await upstream.close();
});

/** Headers by name, without those that are told apart on purpose. */
function comparable(headers: Headers, without: readonly string[]): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (without.includes(lower) || lower === 'connection' || lower === 'x-request-id') continue;
    (byName[lower] ??= []).push(value.startsWith('Bearer ') ? 'Bearer <jwt>' : value);
  }
  return byName;
}

describe('what a replica was seen to receive from the stock worker', () => {
  it.each(requests)(
    '$name: it receives from ours, but for what is told apart',
    async ({ request, status, body }) => {
      const { Host: host = '', Authorization: authorization, ...others } = request.headers;
      const given = authorization?.replace('Bearer <jwt>', token());
      const { method, path } = request;
      const answer = await hostCall(worker.port, {
        host,
        method,
        path,
        headers: { ...others, authorization: given },
      });
      expect(answer.status).toBe(status);
      if (body === undefined || typeof body !== 'object') return;
      const got = JSON.parse(answer.text) as NonNullable<Recorded['body']>;
      const sent = Object.keys(request.headers).map((name) => name.toLowerCase());
      const named = (request.headers['Connection'] ?? '').split(',').map((name) => name.trim().toLowerCase());
      const without = [...OWN_WORDS, ...named, ...ADDED.filter((name) => !sent.includes(name))];
      expect(got.target).toBe(body.target);
      expect(comparable(got.headers, OWN_WORDS)).toEqual(comparable(body.headers, without));
    },
  );

  it.each(targets)('%s: it receives as it was sent', async (path) => {
    const answer = await worker.call('llama-a', { path, headers: { authorization: token() } });
    expect((JSON.parse(answer.text) as { target: string }).target).toBe(path);
  });
});

describe('a WebSocket through a whole worker', () => {
  async function open(authorization: string): Promise<WebSocket> {
    const headers = { host: `llama-a${DOMAIN}`, authorization };
    const client = new WebSocket(`ws://127.0.0.1:${worker.port}/ws?x=1`, ['chat.v1', 'chat.v0'], { headers });
    client.on('error', () => undefined);
    await once(client, 'open');
    return client;
  }

  beforeAll(() => {
    const server = new WebSocketServer({ noServer: true, handleProtocols: () => 'chat.v0' });
    upstream.onUpgrade = (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (socketOfReplica) => {
        socketOfReplica.on('message', (data: Buffer) => {
          if (data.toString() === 'close') socketOfReplica.close(4001, 'as asked');
          else socketOfReplica.send(`echo:${data.toString()}`);
        });
      });
  });

  it('is opened by its replica, and closed by it with code and reason', async () => {
    const client = await open(token());
    expect(client.protocol).toBe('chat.v0');
    client.send('hi');
    expect(String((await once(client, 'message'))[0])).toBe('echo:hi');
    client.send('close');
    const [code, reason] = (await once(client, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4001, 'as asked']);
  });

  it('is refused without the token of its circuit', async () => {
    const connections = upstream.connections;
    const client = new WebSocket(`ws://127.0.0.1:${worker.port}/ws`, {
      headers: { host: `llama-a${DOMAIN}` },
    });
    client.on('error', () => undefined);
    const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(401);
    response.resume();
    expect(upstream.connections).toBe(connections);
  });

  it('keeps a worker that stops until the end of its drain, and is closed then', async () => {
    const client = await open(token());
    const closed = once(client, 'close');
    const stopping = worker.router.stop();
    client.send('still there');
    expect(String((await once(client, 'message'))[0])).toBe('echo:still there');
    await stopping;
    expect((await closed)[0]).toBe(1006);
  });
});
