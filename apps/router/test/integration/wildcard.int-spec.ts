import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signHs256, type AppProxyEvent, type Circuit } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { Redis } from 'ioredis';
import { circuit, route } from '../../src/features/snapshot/testing/wire-builders.js';
import { hostCall } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { BusProbe } from '../support/bus-probe.js';
import { ScriptedCoordinator } from '../support/scripted-coordinator.js';
import { TestRouter } from '../support/test-router.js';

const SECRET = 'test-jwt-secret-for-vectors-only-32b';
const HOST = 'llama-a.models.test';

let authority: string;
let coordinator: ScriptedCoordinator;
let bus: BusProbe;
let router: TestRouter;
let upstream: ScriptedUpstream;
let held: Circuit;

const settings = (over: object = {}) => ({
  authority,
  mode: 'wildcard',
  wildcard: { domain: '.models.test', jwt_secret: SECRET },
  coordinator: {
    url: coordinator.url,
    api_secret: 'test-api-secret',
    backoff_min_ms: 20,
    backoff_max_ms: 100,
  },
  redis_url: testRedisUrl(),
  reconcile_interval_ms: 600_000,
  ...over,
});

const ready = () => eventually(async () => expect((await router.status()).ready).toBe(true));
const publicPort = () => Number(new URL(router.publicUrl).port);
const ask = (authorization?: string) =>
  hostCall(publicPort(), { host: HOST, path: '/any', headers: { authorization } });
const tokenOf = ({ id }: Circuit) => `Bearer ${signHs256({ id }, SECRET)}`;
const created = (): AppProxyEvent => ({
  name: 'appproxy_circuit_created_event',
  authority,
  circuits: [held],
});
const routed = (routes: Circuit['route_info']): AppProxyEvent => ({
  name: 'appproxy_circuit_route_updated_event',
  authority,
  circuit: { ...held, route_info: [] },
  routes,
});
const replica = (port: number) =>
  route(randomUUID(), { session_id: randomUUID(), kernel_host: '127.0.0.1', kernel_port: port });

beforeEach(async () => {
  authority = uniqueAuthority();
  coordinator = new ScriptedCoordinator();
  await coordinator.start();
  bus = new BusProbe(testRedisUrl(), authority);
  await bus.start();
  upstream = await new ScriptedUpstream().listen();
  held = circuit(randomUUID(), randomUUID(), {
    worker: coordinator.workerId,
    frontend_mode: 'wildcard',
    subdomain: 'llama-a',
    route_info: [replica(upstream.port)],
  });
});

afterEach(async () => {
  await router.stop();
  await upstream.close();
  await bus.close();
  await coordinator.stop();
});

describe('a wildcard worker', () => {
  it('registers as one, pulls circuits and nothing else, and leaves by its node id', async () => {
    coordinator.circuits.set(held.id, held);
    router = await TestRouter.start(settings({ traffic_port: null }));
    await ready();
    const { node_id: nodeId } = await router.status();
    expect(coordinator.callsOf('PUT')[0]?.body).toMatchObject({
      authority,
      node_id: nodeId,
      frontend_mode: 'wildcard',
      protocol: 'http',
      accepted_traffics: ['inference'],
      wildcard_domain: '.models.test',
      wildcard_traffic_port: publicPort(),
      port_range: null,
    });
    await eventually(() => {
      expect(coordinator.callsOf('PATCH').length).toBeGreaterThan(1);
      return Promise.resolve();
    });
    expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
    await router.stop();
    expect(coordinator.callsOf('GET', '/router-config')).toHaveLength(0);
    expect(coordinator.calls.at(-1)).toMatchObject({ method: 'DELETE' });
    expect(coordinator.calls.at(-1)?.query.get('node_id')).toBe(nodeId);
  });

  it('serves a created circuit as soon as it has acknowledged it, follows its routes, and lets go of it', async () => {
    router = await TestRouter.start(settings());
    await ready();
    await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
    expect(await ask(tokenOf(held))).toMatchObject({ status: 404 });
    await bus.publish(created());
    await eventually(() => {
      expect(bus.acks).toMatchObject([
        { name: 'appproxy_worker_circuit_added_event', authority, circuits: [{ id: held.id }] },
      ]);
      return Promise.resolve();
    });
    expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 401, code: 'E20006' });
    const other = await new ScriptedUpstream().listen();
    await bus.publish(routed([replica(other.port)]));
    await eventually(async () => {
      expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
      expect(other.seen.length).toBeGreaterThan(0);
    });
    await bus.publish(routed([]));
    await eventually(async () => expect(await ask(tokenOf(held))).toMatchObject({ status: 503 }));
    await bus.publish({ name: 'appproxy_circuit_removed_event', authority, circuits: [held] });
    await eventually(async () => expect(await ask(tokenOf(held))).toMatchObject({ status: 404 }));
    expect(bus.acks).toHaveLength(1);
    await other.close();
  });

  it('replays what it heard while a pull was under way on top of its answer', async () => {
    let answer = (): void => undefined;
    coordinator.script = ({ path }) =>
      path.endsWith('/circuits') ? new Promise<void>((resolve) => (answer = resolve)) : undefined;
    router = await TestRouter.start(settings());
    await eventually(() => {
      expect(coordinator.callsOf('GET', '/circuits')).toHaveLength(1);
      return Promise.resolve();
    });
    await bus.publish(created());
    await bus.publish({ name: 'appproxy_circuit_removed_event', authority: 'another', circuits: [held] });
    // The stale answer knows no circuit; what came since does. A second pull then decides about the acknowledgement.
    coordinator.script = () => undefined;
    coordinator.circuits.set(held.id, held);
    await eventually(async () => {
      answer();
      expect(bus.acks).toHaveLength(1);
      await Promise.resolve();
    });
    expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
  });

  it('registers again when the coordinator has forgotten it, and serves on meanwhile', async () => {
    coordinator.circuits.set(held.id, held);
    router = await TestRouter.start(settings());
    await ready();
    const later = randomUUID();
    coordinator.workerId = later;
    await eventually(async () =>
      expect((await router.status()).coordinator).toMatchObject({ registered: true, worker_id: later }),
    );
    expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
  });
});

describe('the statistics of a circuit', () => {
  const metric = async (outcome: string) => {
    const text = await (await fetch(`${router.adminUrl}/metrics`)).text();
    return Number(new RegExp(`circuit_uses_total.*outcome="${outcome}".* (\\d+)`).exec(text)?.[1] ?? 0);
  };

  it('are in the live database soon after its requests, whatever the request was', async () => {
    const live = new Redis(testRedisUrl(), { db: 2 });
    coordinator.circuits.set(held.id, held);
    router = await TestRouter.start(settings());
    await ready();
    await ask(tokenOf(held));
    const body = { host: HOST, path: '/v1/chat/completions', body: '{"model":"m"}' };
    await hostCall(publicPort(), { ...body, headers: { authorization: tokenOf(held) } });
    await ask();
    const key = `circuit.${held.id}`;
    await eventually(async () => expect(await live.get(`${key}.requests`)).toBe('2'));
    const seconds = Number(await live.get(`${key}.last_access`));
    expect(Math.abs(Date.now() / 1_000 - seconds)).toBeLessThan(60);
    expect(await live.ttl(`${key}.requests`)).toBeGreaterThan(3_500);
    expect(await live.ttl(`${key}.last_access`)).toBeGreaterThan(172_700);
    await eventually(async () => expect(await metric('written')).toBe(2));
    live.disconnect();
  });

  it('are given up quietly while the live database is away', async () => {
    coordinator.circuits.set(held.id, held);
    router = await TestRouter.start(settings({ redis_url: 'redis://127.0.0.1:1/4', events_enabled: false }));
    await ready();
    expect(await ask(tokenOf(held))).toMatchObject({ status: 200 });
    await eventually(async () => expect(await metric('dropped')).toBe(1));
    expect(await metric('written')).toBe(0);
  });
});
