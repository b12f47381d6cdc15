import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { hostCall } from '../../testing/host-client.js';
import { rawExchange } from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { endpoint, KEY, keyEntry, replica, route, snapshot } from '../../testing/snapshots.js';
import { TestRouter, until } from '../../testing/test-router.js';
import type { EndpointTarget, Snapshot } from '../snapshot/index.js';

const SECRET = 'secret of the internal listener';
const CHAT = '/v1/chat/completions';
const HIDDEN = 'hidden.internal';
const TOKEN = `Bearer ${signHs256({ id: 'c-hidden' }, SECRET)}`;
const OF_PUBLIC = `Bearer ${signHs256({ id: 'c-open' }, SECRET)}`;

const INTERNAL = { domain: '.internal', jwtSecret: SECRET };
const MODES = {
  router: { internal: INTERNAL },
  wildcard: {
    internal: INTERNAL,
    // The same secret and, at worst, the same domain: what keeps the worlds apart is the listener alone.
    wildcard: { domain: '.internal', jwtSecret: SECRET, aggregationHosts: ['all.example.com'] },
  },
};

let upstream: ScriptedUpstream;
let secretUpstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
  secretUpstream = await new ScriptedUpstream().listen();
});

afterEach(async () => {
  await TestRouter.stopAll();
  await Promise.all([upstream.close(), secretUpstream.close()]);
});

/** One endpoint of each kind; the hidden one asks for no token where `open`, so that nothing but its place protects it. */
function world(open: boolean): Snapshot {
  const target = (id: string, port: number, over: Partial<EndpointTarget>) =>
    endpoint([replica(port)], { endpointId: id, circuitId: `c-${id}`, label: id, servedModel: id, ...over });
  const hidden = target('hidden', secretUpstream.port, { visibility: 'internal', requiresToken: !open });
  const shown = target('open', upstream.port, { requiresToken: false });
  const key = keyEntry({ unrestricted: true, allowedModels: new Set() });
  return snapshot({ keys: [[KEY, key]], routes: [route('open', [[shown, 1]])], hosts: [hidden, shown] });
}

const HOSTS = [
  HIDDEN,
  'HIDDEN.internal:80',
  'hidden.internal.',
  'hidden',
  'hidden.internal.internal',
  'internal',
  'all.example.com',
  '127.0.0.1',
  'c-hidden.internal',
];

const PATHS = [
  '/',
  '/lab',
  CHAT,
  '/v1/completions',
  '/v1/embeddings',
  '/v1/models',
  '/v1/models/hidden',
  '/status',
];

describe.each(Object.entries(MODES))('an internal endpoint of a worker in mode %s', (_mode, settings) => {
  it('is on no public listener, by any route, host, method or credential', async () => {
    const router = await new TestRouter(settings).start(world(true));
    for (const authorization of [undefined, TOKEN, `Bearer ${KEY}`]) {
      for (const host of HOSTS) {
        for (const path of PATHS) {
          for (const call of [{}, { body: '{"model":"hidden"}' }, { method: 'OPTIONS' }, { method: 'PUT' }]) {
            const headers = authorization === undefined ? {} : { authorization };
            const got = await hostCall(router.port, { host, path, headers, ...call });
            const isPreflightOfTable = call.method === 'OPTIONS' && got.status === 204;
            if (got.status < 300 && !isPreflightOfTable) expect(got.text).not.toContain('hidden');
          }
        }
      }
    }
    expect(secretUpstream.seen).toHaveLength(0);
  });

  it('is on no public listener for an absolute target or an upgrade either', async () => {
    const router = await new TestRouter(settings).start(world(true));
    const close = 'connection: close\r\n\r\n';
    const upgrade =
      'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n\r\n';
    for (const head of [
      `GET http://${HIDDEN}/v1/models HTTP/1.1\r\nhost: open.internal\r\n${close}`,
      `GET /lab HTTP/1.1\r\nhost: ${HIDDEN}\r\nhost: open.internal\r\n${close}`,
      `GET /lab HTTP/1.0\r\nhost: ${HIDDEN}\r\n${close}`,
      `GET /lab HTTP/1.1\r\nhost: ${HIDDEN}\r\n${upgrade}`,
      `CONNECT ${HIDDEN}:80 HTTP/1.1\r\nhost: ${HIDDEN}\r\n\r\n`,
    ]) {
      expect(await rawExchange(router.port, head)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect(secretUpstream.seen).toHaveLength(0);
  });

  it('is on the internal listener, by its host and with its token', async () => {
    const router = await new TestRouter(settings).start(world(false));
    const ask = (call: Parameters<typeof hostCall>[1]) =>
      hostCall(router.internalPort, { host: `${HIDDEN}:1`, ...call });
    const headers = { authorization: TOKEN };
    expect(await ask({ headers, path: CHAT, body: '{}' })).toMatchObject({ status: 200 });
    expect(secretUpstream.seen.at(-1)?.body).toBe('{"model":"hidden"}');
    expect(await ask({ headers, path: '/any?x=1' })).toMatchObject({ status: 200 });
    expect(secretUpstream.seen.at(-1)?.path).toBe('/any?x=1');
    expect(await ask({})).toMatchObject({ status: 401, code: 'E20006' });
    expect(await ask({ headers: { authorization: OF_PUBLIC } })).toMatchObject({
      status: 401,
      code: 'E20009',
    });
    expect(await ask({ headers: { authorization: `Bearer ${KEY}` } })).toMatchObject({ code: 'E20008' });
    expect(secretUpstream.seen).toHaveLength(2);
    expect(router.requests[0]).toMatchObject({ mode: 'internal', circuit_id: 'c-hidden' });
  });

  it('is alone there: nothing that is published answers on the internal listener', async () => {
    const router = await new TestRouter(settings).start(world(false));
    for (const host of ['open.internal', 'internal', 'all.example.com', '127.0.0.1', 'nope.internal']) {
      for (const path of ['/', '/v1/models', CHAT]) {
        const headers = { authorization: `Bearer ${KEY}` };
        expect(await hostCall(router.internalPort, { host, path, headers })).toMatchObject({ status: 404 });
      }
    }
    expect(upstream.seen).toHaveLength(0);
  });

  it('needs no token where it says so', async () => {
    const router = await new TestRouter(settings).start(world(true));
    expect(await hostCall(router.internalPort, { host: HIDDEN, path: CHAT, body: '{}' })).toMatchObject({
      status: 200,
    });
  });

  it('finishes its requests when the process drains, and takes no new ones', async () => {
    const router = await new TestRouter(settings).start(world(true));
    let finish = (): void => undefined;
    secretUpstream.script = (_seen, response) => {
      finish = () => void response.end('{}');
    };
    const running = hostCall(router.internalPort, { host: HIDDEN, path: CHAT, body: '{}' });
    await until(() => secretUpstream.seen.length === 1);
    const drained = router.plane.drain(5_000);
    await expect(hostCall(router.internalPort, { host: HIDDEN })).rejects.toThrow(/ECONNREFUSED/);
    finish();
    expect((await running).status).toBe(200);
    expect(await drained).toEqual({ cutOff: 0 });
  });
});
