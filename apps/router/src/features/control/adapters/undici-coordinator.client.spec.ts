import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelApiKey } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';
import type { CoordinatorError } from '../coordinator-client.port.js';
import { UndiciCoordinatorClient } from './undici-coordinator.client.js';

const SECRET = 'the-api-secret';
const HASH = 'a'.repeat(63) + 'Z';

let server: Server;
let answer: RequestListener;
let client: UndiciCoordinatorClient;

beforeEach(async () => {
  answer = (_request, response) => response.end('{}');
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = clientFor((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

const clientFor = (port: number, timeoutMs = 1_000) =>
  new UndiciCoordinatorClient({
    url: `http://127.0.0.1:${port}/prefix/`,
    apiSecret: SECRET,
    timeoutMs: () => timeoutMs,
  });

const held = (revision: string | null) => ({
  revision,
  publications: new Map(),
  keys: new ShardedMap<ModelApiKey>(),
});

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    ({ kind, message }: CoordinatorError) => ({ kind, message }),
  );

describe('UndiciCoordinatorClient', () => {
  it('keeps the path of its URL and sends the secret and a request id', async () => {
    let seen: unknown[] = [];
    answer = ({ url, headers }, response) => {
      seen = [url, headers['x-backendai-token'], headers['x-backendai-requestid']];
      response.end('{"circuits":[]}');
    };
    expect(await client.circuits('w/1', new Map())).toEqual([]);
    expect(seen).toEqual([
      '/prefix/api/worker/w%2F1/circuits',
      SECRET,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
  });

  it('reads an unchanged revision as such', async () => {
    answer = (_request, response) => response.writeHead(304).end();
    expect(await client.routerConfig('w', held('7'))).toBeNull();
  });

  it.each([
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'gone'],
    [409, 'refused'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
  ])('takes %i as %s, with the reason the coordinator gives', async (status, kind) => {
    answer = (_request, response) =>
      response.writeHead(status).end(JSON.stringify({ title: 'Some title.', msg: 'Some reason' }));
    expect(await failureOf(client.circuits('w', new Map()))).toEqual({
      kind,
      message: `GET /api/worker/w/circuits answered ${status}: Some title. Some reason`,
    });
  });

  it('gives up on an answer that does not come', async () => {
    answer = () => undefined;
    const impatient = clientFor((server.address() as AddressInfo).port, 50);
    expect(await failureOf(impatient.circuits('w', new Map()))).toMatchObject({ kind: 'unreachable' });
    await impatient.close();
  });

  it('gives up on an answer that does not end', async () => {
    answer = (_request, response) => response.write('{');
    const impatient = clientFor((server.address() as AddressInfo).port, 50);
    expect(await failureOf(impatient.circuits('w', new Map()))).toMatchObject({ kind: 'unreachable' });
    await impatient.close();
  });

  it('names what is wrong with an answer without repeating it', async () => {
    const key = { key_id: 'k', token_hash: HASH };
    answer = (_request, response) =>
      response.end(JSON.stringify({ revision: '1', models: [], api_keys: [key] }));
    const failure = await failureOf(client.routerConfig('w', held(null)));
    expect(failure).toMatchObject({ kind: 'unreadable' });
    expect(failure?.message).toContain('api_keys.0.token_hash');
    expect(failure?.message).not.toContain(HASH);
    expect(failure?.message).not.toContain(SECRET);
  });
});
