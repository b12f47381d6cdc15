import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedUpstream, type Script } from '../../testing/scripted-upstream.js';
import { endpoint, group, replica, route, snapshot } from '../../testing/snapshots.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n';
const STREAM = { model: 'm', messages: [], stream: true };
const TIMEOUTS = { connectMs: 1_000, headersMs: 150, streamHeadersMs: 150, idleMs: 200, requestMs: 5_000 };

let bad: ScriptedUpstream;
let good: ScriptedUpstream;

/** The draw goes to the first replica as long as it is a candidate. */
function routerTo(...ports: number[]): Promise<TestRouter> {
  return new TestRouter({ timeouts: TIMEOUTS }, { random: () => 0 }).start(modelOn(...ports));
}

function events(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

beforeEach(async () => {
  bad = await new ScriptedUpstream().listen();
  good = await new ScriptedUpstream().listen();
});

afterEach(async () => {
  await TestRouter.stopAll();
  await Promise.all([bad.close(), good.close()]);
});

const FAULTS: [string, string, Script][] = [
  ['never sends a head', 'headers_timeout', () => undefined],
  ['answers 502', 'status_502', (_seen, response) => void response.writeHead(502).end('no')],
  [
    'answers 500, as with a dead engine',
    'status_500',
    (_seen, response) => void response.writeHead(500).end('no'),
  ],
  ['answers 503', 'status_503', (_seen, response) => void response.writeHead(503).end('no')],
  ['answers 504', 'status_504', (_seen, response) => void response.writeHead(504).end('no')],
  [
    'answers 429',
    'status_429',
    (_seen, response) => void response.writeHead(429, { 'retry-after': '9' }).end('no'),
  ],
  ['closes without an answer', 'reset', (_seen, response) => void response.destroy()],
  [
    'is cut after its head',
    'reset',
    (_seen, response) => (events(response).flushHeaders(), void response.destroy()),
  ],
  ['sends no HTTP', 'malformed', (_seen, response) => void response.socket?.end('garbage\r\n\r\n')],
  ['falls silent after its head', 'idle_timeout', (_seen, response) => void events(response).flushHeaders()],
  [
    'breaks off after a keep-alive comment',
    'reset',
    (_seen, response) => void events(response).write(': ping\n\n', () => response.destroy()),
  ],
  [
    'breaks off inside its first event',
    'reset',
    (_seen, response) => void events(response).write('data: {"cho', () => response.destroy()),
  ],
];

describe('a replica that fails before content has gone out', () => {
  it.each(FAULTS)('%s: another replica answers', async (_what, result, script) => {
    bad.script = script;
    good.script = (_seen, response) => void events(response).end(`${EVENT}data: [DONE]\n\n`);
    const router = await routerTo(bad.port, good.port);
    const response = await router.chat(STREAM);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text.replace(': ping\n\n', '')).toBe(`${EVENT}data: [DONE]\n\n`);
    expect(router.requests[0]).toMatchObject({ outcome: 'completed', attempts: 2 });
    expect(router.requests[0]?.['failed_attempts']).toContain(result);
    expect(good.calls[0]?.body).toBe(bad.calls[0]?.body);
  });

  it('refuses connections: another replica answers, and connecting in vain spends no attempt', async () => {
    const ports = [];
    for (let count = 0; count < 5; count += 1) {
      const gone = await new ScriptedUpstream().listen();
      ports.push(gone.port);
      await gone.close();
    }
    const router = await routerTo(...ports, good.port);
    expect((await router.chat()).status).toBe(200);
    expect(router.requests[0]).toMatchObject({ attempts: 6 });
  });

  it('is left alone for a while, and gets traffic again by itself', async () => {
    bad.script = (_seen, response) => void response.destroy();
    const router = await routerTo(bad.port, good.port);
    await until(async () => {
      await (await router.chat()).text();
      return router.plane.groups()[0]?.replicas[0]?.healthy === false;
    });
    expect(await router.metrics.text()).toMatch(/penstock_router_replicas\{[^}]*state="ejected"[^}]*\} 1\n/);
    const failures = bad.calls.length;
    for (let count = 0; count < 5; count += 1) await (await router.chat()).text();
    expect(bad.calls).toHaveLength(failures);
    bad.script = good.script;
    await until(async () => {
      await (await router.chat()).text();
      return router.plane.groups()[0]?.replicas[0]?.healthy === true;
    });
    expect(bad.calls.length).toBeGreaterThan(failures);
  });

  it.each([429, 500, 503])(
    'by saying %d is believed when the others are known to be dead',
    async (status) => {
      bad.script = (_seen, response) => void response.writeHead(status, { 'retry-after': '9' }).end('busy');
      const { port } = good;
      await good.close();
      const router = await routerTo(port, bad.port);
      for (let count = 0; count < 3; count += 1) {
        const response = await router.chat();
        expect(response.status).toBe(status);
        expect(response.headers.get('retry-after')).toBe('9');
        expect(await response.text()).toBe('busy');
      }
      expect(router.requests.map((line) => line['attempts'])).toEqual([2, 1, 1]);
    },
  );

  it('in the only replica there is, is tried at each request: it is never ejected to zero', async () => {
    bad.script = (_seen, response) =>
      void response.writeHead(503, { 'retry-after': '7' }).end('{"own":"answer"}');
    const router = await routerTo(bad.port);
    for (let count = 0; count < 6; count += 1) {
      const response = await router.chat();
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await response.text()).toBe('{"own":"answer"}');
    }
    bad.script = good.script;
    expect((await router.chat()).status).toBe(200);
  });
});

describe('a request that nobody can answer', () => {
  it('is 502 upstream_error when no replica can be reached', async () => {
    const router = await routerTo(bad.port);
    await bad.close();
    const response = await router.chat();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error', type: 'server_error' } });
  });

  it('is 504 upstream_timeout when heads do not come', async () => {
    bad.script = () => undefined;
    const router = await routerTo(bad.port);
    const response = await router.chat();
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_timeout' } });
    await bad.calls[0]?.socketClosed;
  });

  it('is executed at most max_attempts times', async () => {
    bad.script = (_seen, response) => void response.destroy();
    const others = await Promise.all([1, 2, 3].map(() => new ScriptedUpstream().listen()));
    for (const other of others) other.script = bad.script;
    const router = await routerTo(bad.port, ...others.map((other) => other.port));
    expect((await router.chat()).status).toBe(502);
    expect(router.requests[0]).toMatchObject({ attempts: 3 });
    await Promise.all(others.map((other) => other.close()));
  });

  it('is 503 model_unavailable when every replica is drained or none is known', async () => {
    const drained = endpoint([], { groups: [group([replica(good.port)], { weight: 0 })] });
    const router = await new TestRouter().start(snapshot({ routes: [route('m', [[drained, 1]])] }));
    const response = await router.chat();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect(await response.json()).toMatchObject({ error: { code: 'model_unavailable' } });
  });

  it('is not sent outside the replica networks, by address or by name', async () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const target = endpoint([replica(good.port, { host })]);
      const router = await new TestRouter({ replicaNetworks: ['10.0.0.0/8'] }).start(
        snapshot({ routes: [route('m', [[target, 1]])] }),
      );
      expect((await router.chat()).status).toBe(502);
      expect(router.requests[0]?.['failed_attempts']).toContain('forbidden_address');
      await router.stop();
    }
    expect(good.seen).toHaveLength(0);
  });
});

describe('an answer that breaks after its first byte', () => {
  it('cuts the connection when it is not a stream, so that it cannot look complete', async () => {
    bad.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"half":', () => response.destroy());
    };
    const router = await routerTo(bad.port, good.port);
    const response = await router.chat();
    await expect(response.text()).rejects.toThrow();
    expect(good.seen).toHaveLength(0);
    expect(router.requests[0]).toMatchObject({ outcome: 'cut', status: 200, attempts: 1 });
  });

  it('ends a silent stream in an error event', async () => {
    bad.script = (_seen, response) => void events(response).write(EVENT);
    const router = await routerTo(bad.port, good.port);
    const text = await (await router.chat(STREAM)).text();
    expect(text.startsWith(EVENT)).toBe(true);
    expect(text).toContain('"code":"upstream_timeout"');
    expect(text).not.toContain('[DONE]');
    expect(good.seen).toHaveLength(0);
  });
});

describe('a verdict of the replica on the request', () => {
  it.each([400, 404, 422])('%d is passed on as it is and not tried elsewhere', async (status) => {
    bad.script = (_seen, response) =>
      void response.writeHead(status, { 'X-Own': 'a' }).end('{"detail":"own"}');
    const router = await routerTo(bad.port, good.port);
    const response = await router.chat();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-own')).toBe('a');
    expect(await response.text()).toBe('{"detail":"own"}');
    expect(good.seen).toHaveLength(0);
  });
});

describe('a replica whose model name nobody wrote down', () => {
  it('is asked for it once, and the name is spliced in', async () => {
    good.script = (seen, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(seen.method === 'GET' ? '{"data":[{"id":"vendor/own-name"},{"id":"second"}]}' : '{}');
    };
    const target = endpoint([replica(good.port)], { servedModel: null });
    const router = await new TestRouter().start(snapshot({ routes: [route('m', [[target, 1]])] }));
    await Promise.all(Array.from({ length: 5 }, () => router.chat()));
    expect(good.seen.filter((seen) => seen.path === '/v1/models')).toHaveLength(1);
    for (const call of good.calls) expect(JSON.parse(call.body)).toMatchObject({ model: 'vendor/own-name' });
    expect(good.calls).toHaveLength(5);
  });

  it('is not asked again and again when it has no list', async () => {
    good.script = (seen, response) =>
      void (seen.method === 'GET' ? response.writeHead(404).end() : response.end(seen.body));
    const target = endpoint([replica(good.port)], { servedModel: null });
    const router = await new TestRouter().start(snapshot({ routes: [route('m', [[target, 1]])] }));
    for (let count = 0; count < 4; count += 1)
      expect(await (await router.chat({ model: 'm' })).text()).toBe('{"model":"m"}');
    expect(good.seen.filter((seen) => seen.method === 'GET')).toHaveLength(1);
  });

  it('is asked by one request only while it is on trial', async () => {
    const target = endpoint([replica(bad.port), replica(good.port)], { servedModel: null });
    const { port } = bad;
    await bad.close();
    good.script = (seen, response) =>
      void response.end(seen.method === 'GET' ? '{"data":[{"id":"a"}]}' : '{}');
    const router = await new TestRouter({ timeouts: TIMEOUTS }, { random: () => 0 }).start(
      snapshot({ routes: [route('m', [[target, 1]])] }),
    );
    expect((await router.chat()).status).toBe(200);
    bad = await new ScriptedUpstream().listen(port);
    bad.script = () => undefined;
    await until(async () => {
      await router.chat();
      return bad.seen.length > 0;
    });
    const before = router.requests.length;
    // Ejected anew by the failed trial; the next one may be any of these.
    await until(async () => {
      await Promise.all(Array.from({ length: 8 }, () => router.chat()));
      return bad.seen.length > 1;
    });
    const tries = router.requests.slice(before).filter((line) => line['attempts'] !== 1);
    expect(tries).toHaveLength(bad.seen.length - 1);
  });

  it('that cannot be asked is passed over like any other that fails', async () => {
    bad.script = (_seen, response) => void response.destroy();
    good.script = (seen, response) =>
      void response.end(seen.method === 'GET' ? '{"data":[{"id":"a"}]}' : '{}');
    const target = endpoint([replica(bad.port), replica(good.port)], { servedModel: null });
    const router = await new TestRouter({}, { random: () => 0 }).start(
      snapshot({ routes: [route('m', [[target, 1]])] }),
    );
    expect((await router.chat()).status).toBe(200);
    expect(bad.calls).toHaveLength(0);
    expect(router.plane.groups()[0]?.replicas.map((view) => view.in_flight)).toEqual([0, 0]);
  });
});

describe('draining', () => {
  it('lets streams finish, marks answers, and closes what is idle', async () => {
    const open: ServerResponse[] = [];
    good.script = (_seen, response) => {
      events(response).write(EVENT);
      open.push(response);
    };
    const router = await new TestRouter().start(modelOn(good.port));
    const streams = await Promise.all(Array.from({ length: 50 }, () => router.chat(STREAM)));
    expect(router.plane.inFlight).toBe(50);
    router.plane.beginDraining();
    good.script = (_seen, response) => void response.end('{}');
    const late = await router.chat();
    expect(late.status).toBe(200);
    expect(late.headers.get('connection')).toBe('close');
    const idle = connect(router.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    router.plane.stopAccepting();
    const drained = router.plane.drain(5_000);
    await expect(router.chat()).rejects.toThrow();
    for (const response of open) response.end('data: [DONE]\n\n');
    for (const stream of streams) expect(await stream.text()).toBe(`${EVENT}data: [DONE]\n\n`);
    expect(await drained).toEqual({ cutOff: 0 });
    await new Promise((resolve) => idle.once('close', resolve).resume());
  });

  it('cuts off at its deadline what is still running, and says how much', async () => {
    good.script = (_seen, response) => void events(response).write(EVENT);
    const router = await new TestRouter().start(modelOn(good.port));
    const response = await router.chat(STREAM);
    good.script = () => undefined;
    const unanswered = router.chat();
    await until(() => good.calls.length === 2);
    expect(await router.plane.drain(50)).toEqual({ cutOff: 2 });
    const text = await response.text();
    expect(text).toMatch(/^data: .*\n\ndata: \{"error":.*"code":"draining"/);
    expect(text).not.toContain('[DONE]');
    expect((await unanswered).status).toBe(503);
    expect((await unanswered).headers.get('retry-after')).toBe('1');
    for (const line of router.requests)
      expect(line).toMatchObject({ 'error.code': 'draining', fault: 'platform' });
    expect(router.requests.map((line) => line['outcome']).sort()).toEqual(['cut', 'refused']);
  });
});
