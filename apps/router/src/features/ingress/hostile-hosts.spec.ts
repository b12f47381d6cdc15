import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient, rawExchange } from '../../testing/raw-client.js';
import { endpoint, replica, snapshot } from '../../testing/snapshots.js';
import { TestRouter, until } from '../../testing/test-router.js';

const SECRET = 'secret-of-the-tests';
const OPEN = 'open.models.test';
const SHUT = 'shut.models.test';
const APEX = 'models.test';
const tokenOf = (circuitId: string) => `Bearer ${signHs256({ id: circuitId }, SECRET)}`;

let upstream: HttpUpstream;
let router: TestRouter;

beforeEach(async () => {
  upstream = await new HttpUpstream().listen();
  upstream.onRequest = (request, response) =>
    void request.resume().once('end', () => response.end(`for ${request.headers.host}`));
  const wildcard = { domain: '.models.test', jwtSecret: SECRET, aggregationHosts: [] };
  const to = (id: string, requiresToken: boolean) =>
    endpoint([replica(upstream.port)], { endpointId: id, label: id, requiresToken });
  router = await new TestRouter({ wildcard }).start(
    snapshot({ hosts: [to('open', false), to('shut', true)] }),
  );
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
const exchange = (text: string) => rawExchange(router.port, text);
const get = (host: string, lines = '', target = '/t') =>
  `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n${lines}\r\n`;
const LAST = 'connection: close\r\n';

describe('one connection for several hosts', () => {
  it('is asked for the credential of each of its requests', async () => {
    const good = `authorization: ${tokenOf('c-shut')}\r\n`;
    const answer = await exchange(get(OPEN) + get(SHUT) + get(SHUT, good) + get(SHUT) + get(OPEN, LAST));
    expect(statuses(answer)).toEqual(['200', '401', '200', '401', '200']);
    expect(upstream.requests.map(({ headers }) => headers.host)).toEqual([OPEN, SHUT, OPEN]);
  });

  it.each(['h2c', 'h2c, websocket', 'TLS/1.0', 'websocket, h2c', 'echo, h2c', 'x, tls/1.2'])(
    'ends with a request that offers %s, and never turns into newer HTTP',
    async (offer) => {
      upstream.onUpgrade = (_request, socket) =>
        void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\nPRI');
      const webSocket = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n';
      const lines = `connection: Upgrade, HTTP2-Settings\r\nupgrade: ${offer}\r\n${webSocket}`;
      const inner = get(OPEN, '', '/inner');
      const next = `POST /t HTTP/1.1\r\nhost: ${OPEN}\r\ncontent-length: ${inner.length}\r\n\r\n`;
      const client = (await RawClient.open(router.port)).read().send(get(OPEN, lines) + next);
      await until(() => upstream.requests.length === 1);
      // The body of a request whose head came in one piece with the offer.
      client.send(inner);
      await client.closed;
      expect(statuses(client.answer)).toEqual(['200']);
      expect(client.answer).toMatch(/^connection: close\r$/im);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  it.each(['OPTIONS', 'GET', 'POST', 'TRACE'])(
    'never takes a body of %s for another request',
    async (method) => {
      const inner = get(SHUT);
      const offer = `connection: Upgrade\r\nupgrade: websocket\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`;
      const framed = [
        [`content-length: ${inner.length}\r\n\r\n${inner}`, 2],
        [`transfer-encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`, 2],
        [offer, 1],
      ] as const;
      for (const [rest, count] of framed) {
        const answer = await exchange(`${method} /t HTTP/1.1\r\nhost: ${OPEN}\r\n${rest}${get(OPEN, LAST)}`);
        expect(statuses(answer)).toEqual(Array(count).fill('200'));
      }
      expect(upstream.requests.map(({ headers }) => headers.host)).toEqual(Array(5).fill(OPEN));
    },
  );
});

describe('a request that two readers could take for two', () => {
  it.each([
    ['two hosts', `GET /t HTTP/1.1\r\nhost: ${OPEN}\r\nhost: ${SHUT}\r\n\r\n`],
    ['two hosts in one', get(`${OPEN}, ${SHUT}`)],
    ['a host with a user', get(`${SHUT}@${OPEN}`)],
    ['a host that is folded', `GET /t HTTP/1.1\r\nhost: ${OPEN}\r\n ${SHUT}\r\n\r\n`],
    ['another host in its target', get(SHUT, '', `http://${OPEN}/t`)],
    ['another host in its target, the other way', get(OPEN, '', `http://${SHUT}/t`)],
    ['a user in its target', get(OPEN, '', `http://${OPEN}@${SHUT}/t`)],
    ['another scheme', get(OPEN, '', `gopher://${OPEN}/t`)],
    ['length and chunks', get(OPEN, 'content-length: 5\r\ntransfer-encoding: chunked\r\n') + '0\r\n\r\n'],
    ['chunks that are not last', get(OPEN, 'transfer-encoding: chunked, identity\r\n') + '0\r\n\r\n'],
    ['chunks twice', get(OPEN, 'transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n') + '0\r\n\r\n'],
    ['folded chunks', get(OPEN, 'transfer-encoding:\r\n chunked\r\n') + '0\r\n\r\n'],
    [
      'chunks in HTTP/1.0',
      `POST /t HTTP/1.0\r\nhost: ${OPEN}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a blank before a colon', get(OPEN, 'content-length : 5\r\n') + 'hello'],
    ['a bare line end', `GET /t HTTP/1.1\nhost: ${OPEN}\n\n`],
    ['a return inside a line', get(OPEN, 'x: a\rcontent-length: 5\r\n')],
  ])('%s: is refused, and nobody is asked', async (_what, text) => {
    const [status] = statuses(await exchange(text.replace('\r\n', `\r\n${LAST}`)));
    expect(['400', '401', '404']).toContain(status);
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    [[tokenOf('c-open'), tokenOf('c-shut')], '401'],
    [['Bearer x', tokenOf('c-shut')], '401'],
  ])('%#: has the credential that came first', async (credentials, status) => {
    const lines = credentials.map((credential) => `authorization: ${credential}\r\n`).join('');
    expect(statuses(await exchange(get(SHUT, lines + LAST)))).toEqual([status]);
    expect(upstream.requests).toEqual([]);
  });
});

it.each([
  '//v1/models',
  '/v1/../lab',
  '/v1/%2e%2e/lab',
  '/V1/models',
  '/v1//models',
  '/v1/models;x',
  '/%761/models',
  '/v1/chat/completions/',
  '\\v1\\models',
])('a host of all endpoints serves nothing under %s', async (target) => {
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const answer = await exchange(`${method} ${target} HTTP/1.1\r\nhost: ${APEX}\r\n${LAST}\r\n`);
    expect(['400', '404']).toContain(statuses(answer)[0]);
  }
  expect(upstream.requests).toEqual([]);
  await until(() => router.plane.inFlight === 0);
});
