import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashKey } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { apiKey, circuit, publication, route } from '../../src/features/snapshot/testing/wire-builders.js';
import { markOf } from '../../src/features/lifecycle/adapters/process-mark.js';
import { hostCall } from '../../src/testing/host-client.js';
import { BuiltProgram, freePorts } from '../support/built-program.js';
import { ScriptedCoordinator } from '../support/scripted-coordinator.js';

const KEY = 'sk-test-of-the-process';
const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
const UUID = 'b3c1e5d7-2b4f-4a2b-8c3d-000000000001';

interface Status {
  readonly node_id: string;
  readonly slot: string;
  readonly pid: number;
  readonly ready: boolean;
  readonly revision: string | null;
  readonly counts: object;
  readonly event_bus: { readonly connected: boolean };
}

let coordinator: ScriptedCoordinator;
let replica: Server;
let streams: (() => void)[];
let router: BuiltProgram;
let dataDir: string;
let publicPort: number;
let adminPort: number;

/** A replica whose streams go on until the test ends them. */
async function startReplica(): Promise<void> {
  streams = [];
  replica = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
    streams.push(() => response.end('data: [DONE]\n\n'));
  });
  await new Promise<void>((resolve) => replica.listen(0, '127.0.0.1', resolve));
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-data-'));
  await startReplica();
  coordinator = new ScriptedCoordinator();
  await coordinator.start();
  coordinator.keys.set('k', apiKey('k', { token_hash: hashKey(KEY), allowed_models: ['m'] }));
  coordinator.publications.set('m', publication('m', { [ENDPOINT]: 1 }));
  const kernel_port = (replica.address() as AddressInfo).port;
  const route_info = [route(UUID, { session_id: UUID, kernel_host: '127.0.0.1', kernel_port })];
  coordinator.circuits.set(UUID, circuit(UUID, ENDPOINT, { worker: UUID, route_info, served_model: 'm' }));
  publicPort = await freePorts();
  adminPort = await freePorts(1);
});

afterEach(async () => {
  await router.dispose();
  await coordinator.stop();
  replica.closeAllConnections();
  replica.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const settings = (over: object = {}) => ({
  authority: uniqueAuthority(),
  hostname: 'router.test',
  data_dir: dataDir,
  coordinator: { url: coordinator.url, api_secret: 'test-api-secret' },
  redis_url: testRedisUrl(),
  public: { host: '127.0.0.1', port: publicPort },
  admin: { host: '127.0.0.1', port: adminPort },
  drain_readiness_lead_ms: 300,
  drain_timeout_ms: 10_000,
  ...over,
});

async function status(worker = 0): Promise<Status> {
  const response = await fetch(`http://127.0.0.1:${adminPort + worker}/status`);
  return (await response.json()) as Status;
}

const ready = (worker = 0) =>
  eventually(async () => expect((await status(worker)).ready).toBe(true), { timeoutMs: 20_000 });

const readyz = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status;

/** A stream that was cut keeps what was sent, says why it ends, and does not look complete. */
function expectCutByDraining(text: string): void {
  expect(text).toContain('"content":"a"');
  expect(text).toContain('"code":"draining"');
  expect(text).not.toContain('[DONE]');
}

/** Starts a chat stream; resolves with its head. */
function openStream(): Promise<IncomingMessage> {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [] });
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const call = request({
      port: publicPort,
      path: '/v1/chat/completions',
      method: 'POST',
      headers,
      agent: false,
    });
    call.once('error', reject);
    call.once('response', resolve);
    call.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

describe('draining', () => {
  it('fails readiness first, finishes running streams, leaves the fleet last and exits 0', async () => {
    router = new BuiltProgram('router', settings());
    await ready();
    const open = await Promise.all(Array.from({ length: 5 }, openStream));
    await eventually(async () => expect((await status()).event_bus.connected).toBe(true));
    const serving = await status();
    expect(serving).toMatchObject({ ready: true, draining: false, in_flight: 5 });
    router.signal('SIGTERM');
    await eventually(async () => expect(await readyz()).toBe(503));
    expect(await status()).toMatchObject({
      ready: false,
      draining: true,
      in_flight: 5,
      revision: serving.revision,
      counts: serving.counts,
      coordinator: { registered: true },
      event_bus: { connected: true },
    });
    // Within the lead the port is still open, and answers ask the client to come back elsewhere.
    const late = await fetch(`http://127.0.0.1:${publicPort}/v1/models`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    await eventually(async () => {
      const refused = await fetch(`http://127.0.0.1:${publicPort}/v1/models`).then(
        () => false,
        () => true,
      );
      expect(refused).toBe(true);
    });
    expect(coordinator.callsOf('DELETE')).toHaveLength(0);
    expect(await status()).toMatchObject({ ready: false, draining: true, in_flight: 5 });
    for (const end of streams) end();
    for (const text of await Promise.all(open.map(textOf))) expect(text).toContain('[DONE]');
    expect(await router.exit()).toBe(0);
    expect(coordinator.callsOf('DELETE')).toHaveLength(1);
  });

  it('cuts streams that outlive the drain timeout, and still leaves properly', async () => {
    router = new BuiltProgram('router', settings({ drain_timeout_ms: 200, drain_readiness_lead_ms: 0 }));
    await ready();
    const open = await openStream();
    router.signal('SIGTERM');
    expect(await router.exit()).toBe(0);
    expectCutByDraining(await textOf(open));
    expect(coordinator.callsOf('DELETE')).toHaveLength(1);
  });

  it('ends at once on a second signal', async () => {
    router = new BuiltProgram('router', settings());
    await ready();
    const open = await openStream();
    open.on('error', () => undefined);
    router.signal('SIGTERM');
    await eventually(async () => expect(await readyz()).toBe(503));
    router.signal('SIGTERM');
    expect(await router.exit()).toBe(1);
  });
});

describe('several processes', () => {
  it('share both listening ports, each a node with its own slot and admin port, and drain together', async () => {
    const internal = { host: '127.0.0.1', port: await freePorts(), domain: '.internal', jwt_secret: 's' };
    router = new BuiltProgram('router', settings({ workers: 2, internal }));
    await ready(0);
    await ready(1);
    const nodes = [await status(0), await status(1)];
    expect(new Set(nodes.map(({ node_id }) => node_id)).size).toBe(2);
    expect(new Set(nodes.map(({ pid }) => pid)).size).toBe(2);
    expect(nodes.map(({ slot }) => slot.split('/').at(-1)).toSorted()).toEqual(['0', '1']);
    expect(await hostCall(internal.port, { host: 'nobody.internal' })).toMatchObject({ status: 404 });
    const open = await openStream();
    router.signal('SIGTERM');
    for (const end of streams) end();
    expect(await textOf(open)).toContain('[DONE]');
    expect(await router.exit()).toBe(0);
    expect(coordinator.callsOf('DELETE')).toHaveLength(2);
  });

  it('come back after a crash as a new node in the same slot', async () => {
    router = new BuiltProgram('router', settings({ workers: 2 }));
    await ready(0);
    await ready(1);
    const before = await status(1);
    process.kill(before.pid, 'SIGKILL');
    const after = await eventually(
      async () => {
        const now = await status(1);
        expect(now.pid).not.toBe(before.pid);
        return now;
      },
      { timeoutMs: 20_000 },
    );
    expect(after.node_id).not.toBe(before.node_id);
    expect(after.slot).toBe(before.slot);
    router.signal('SIGTERM');
    expect(await router.exit()).toBe(0);
  });
});

describe('a primary that is killed', () => {
  const areGone = (pids: readonly number[]) =>
    eventually(() => expect(pids.filter((pid) => markOf(pid) !== null)).toEqual([]), { timeoutMs: 20_000 });

  it('leaves workers that finish their streams, leave the fleet and end', async () => {
    router = new BuiltProgram('router', settings({ workers: 2, drain_readiness_lead_ms: 60_000 }));
    await ready(0);
    await ready(1);
    const pids = [(await status(0)).pid, (await status(1)).pid];
    const open = await Promise.all(Array.from({ length: 4 }, openStream));
    router.signal('SIGKILL');
    await router.exit();
    // A restarted instance needs the admin ports, however long the streams take.
    await eventually(() => expect(Promise.all([status(0), status(1)])).rejects.toThrow());
    await expect(openStream()).rejects.toThrow('ECONNREFUSED');
    expect(coordinator.callsOf('DELETE')).toHaveLength(0);
    for (const end of streams) end();
    for (const text of await Promise.all(open.map(textOf))) expect(text).toContain('[DONE]');
    await areGone(pids);
    expect(coordinator.callsOf('DELETE')).toHaveLength(2);
  });

  it('does not keep workers for longer than the drain timeout', async () => {
    router = new BuiltProgram('router', settings({ workers: 2, drain_timeout_ms: 200 }));
    await ready(0);
    await ready(1);
    const pids = [(await status(0)).pid, (await status(1)).pid];
    const open = await openStream();
    router.signal('SIGKILL');
    expectCutByDraining(await textOf(open));
    await areGone(pids);
  });

  it('takes workers with it that have not started yet', async () => {
    router = new BuiltProgram('router', settings({ workers: 2 }));
    const pids = await eventually(() => {
      const found = router.children();
      expect(found).toHaveLength(2);
      return found;
    });
    router.signal('SIGKILL');
    await areGone(pids);
  });
});

describe('starting', () => {
  it.each([1, 2])('names every taken port at once and exits with 78, with %i processes', async (workers) => {
    const taken = [createServer(), createServer()];
    for (const [n, server] of taken.entries()) {
      const port = [publicPort, adminPort][n];
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    }
    router = new BuiltProgram('router', settings({ workers }));
    expect(await router.exit()).toBe(78);
    expect(router.output).toContain(`public listener: 127.0.0.1 port ${publicPort} is taken`);
    expect(router.output).toContain(`admin listener: 127.0.0.1 port ${adminPort} is taken`);
    for (const server of taken) server.close();
  });

  it('reports every configuration problem and exits with 78', async () => {
    router = new BuiltProgram('router', settings({ workers: 0, redis_url: 'nonsense', colour: 'blue' }));
    expect(await router.exit()).toBe(78);
    expect(router.output).toMatch(/workers[\s\S]*redis_url|redis_url[\s\S]*workers/);
    expect(router.output).toContain('colour');
  });

  it('reads its configuration again on SIGHUP and says what it took over', async () => {
    router = new BuiltProgram('router', settings());
    await ready();
    const origin = 'https://app.example';
    const allowed = async () => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await fetch(`http://127.0.0.1:${publicPort}/v1/models`, { method: 'OPTIONS', headers });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await allowed()).toBe('*');
    router.writeConfig({ log_level: 'debug', workers: 4, cors: { allowed_origins: [origin] } });
    router.signal('SIGHUP');
    await eventually(() => expect(router.output).toContain('configuration reloaded'));
    expect(router.output).toMatch(
      /"applied":\["cors.allowed_origins","log_level"\],"need_restart":\["workers"\]/,
    );
    expect(await allowed()).toBe(origin);
    router.writeConfig({ log_level: 'loud' });
    router.signal('SIGHUP');
    await eventually(() => expect(router.output).toContain('configuration not reloaded'));
    expect((await status()).ready).toBe(true);
  });
});
