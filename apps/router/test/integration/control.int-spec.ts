import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashKey, type AppProxyEvent } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { apiKey, circuit, publication, route } from '../../src/features/snapshot/testing/wire-builders.js';
import { BusProbe } from '../support/bus-probe.js';
import { ScriptedCoordinator } from '../support/scripted-coordinator.js';
import { TestRouter } from '../support/test-router.js';

const KEY = 'sk-test-of-the-control-side';
const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
const CIRCUIT = 'b3c1e5d7-2b4f-4a2b-8c3d-00000000c001';

const key = (over: Partial<ReturnType<typeof apiKey>> = {}) =>
  apiKey('k', { token_hash: hashKey(KEY), allowed_models: ['m', 'n'], ...over });

const wireCircuit = () =>
  circuit(CIRCUIT, ENDPOINT, {
    version: 1,
    worker: 'b3c1e5d7-2b4f-4a2b-8c3d-000000000001',
    route_info: [wireRoute(1)],
  });

const wireRoute = (n: number) =>
  route(`c3c1e5d7-2b4f-4a2b-8c3d-00000000000${n}`, { session_id: 'd3c1e5d7-2b4f-4a2b-8c3d-000000000001' });

/** A promise and the function that resolves it. */
function gate(): { readonly held: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const held = new Promise<void>((resolve) => (open = resolve));
  return { held, open };
}

let authority: string;
let coordinator: ScriptedCoordinator;
let bus: BusProbe;
let router: TestRouter;

const settings = (over: object = {}) => ({
  authority,
  coordinator: {
    url: coordinator.url,
    api_secret: 'test-api-secret',
    backoff_min_ms: 20,
    backoff_max_ms: 100,
  },
  redis_url: testRedisUrl(),
  ...over,
});

async function ready(): Promise<void> {
  await eventually(async () => expect((await router.status()).ready).toBe(true));
}

beforeEach(async () => {
  authority = uniqueAuthority();
  coordinator = new ScriptedCoordinator();
  await coordinator.start();
  bus = new BusProbe(testRedisUrl(), authority);
  await bus.start();
});

afterEach(async () => {
  await router.stop();
  await bus.close();
  await coordinator.stop();
});

describe('joining the fleet', () => {
  it('registers as a node of its own, beats with its revision and leaves by its node id', async () => {
    router = await TestRouter.start(settings());
    await ready();
    const { node_id: nodeId } = await router.status();
    const [registration] = coordinator.callsOf('PUT');
    expect(registration?.headers).toMatchObject({ 'x-backendai-token': 'test-api-secret' });
    expect(registration?.body).toMatchObject({
      authority,
      node_id: nodeId,
      frontend_mode: 'router',
      accepted_traffics: ['inference'],
      port_range: null,
      wildcard_domain: null,
      address: router.adminUrl.replace('http://', ''),
    });
    await eventually(() =>
      expect(coordinator.callsOf('PATCH').at(-1)?.body).toMatchObject({ node_id: nodeId, revision: '1' }),
    );
    await router.stop();
    expect(coordinator.callsOf('DELETE').map((call) => call.query.get('node_id'))).toEqual([nodeId]);
    expect(coordinator.calls.at(-1)?.method).toBe('DELETE');
  });

  it('announces its internal listener, on which nothing published for clients can be reached', async () => {
    const internal = {
      host: '127.0.0.1',
      port: 0,
      domain: '.models.internal',
      jwt_secret: 'test-jwt-secret',
    };
    router = await TestRouter.start(settings({ internal }));
    await ready();
    const { internalPort: port } = router;
    expect(coordinator.callsOf('PUT')[0]?.body).toMatchObject({
      internal_frontend: { host: '127.0.0.1', port, domain: '.models.internal' },
    });
    const response = await fetch(`http://127.0.0.1:${port}/v1/models`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'endpoint_not_found' } });
  });

  it('starts without a coordinator, says so, and serves once there is one', async () => {
    await coordinator.stop();
    coordinator.keys.set('k', key());
    router = await TestRouter.start(settings());
    expect((await fetch(`${router.adminUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${router.adminUrl}/readyz`)).status).toBe(503);
    const early = await fetch(`${router.publicUrl}/v1/models`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(early.status).toBe(503);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(async () =>
      expect((await router.status()).coordinator.last_error).toContain('ECONNREFUSED'),
    );
    await coordinator.start();
    await ready();
    expect((await fetch(`${router.adminUrl}/readyz`)).status).toBe(200);
    expect(await router.listModels(KEY)).toEqual({ status: 200, names: [] });
  });

  it('registers and pulls again when the coordinator has forgotten it', async () => {
    router = await TestRouter.start(settings());
    await ready();
    coordinator.workerId = 'f0000000-0000-4000-8000-000000000001';
    coordinator.publications.set('m', publication('m'));
    coordinator.keys.set('k', key());
    await eventually(() => expect(coordinator.callsOf('PUT')).toHaveLength(2));
    // The same number from another worker means something else, so the first pull is unconditional.
    await eventually(async () => expect((await router.listModels(KEY)).names).toEqual(['m']));
  });

  it.each([400, 401, 403, 409])('shows a %i to the operator and does not hammer', async (status) => {
    coordinator.script = (call) => (call.method === 'PUT' ? status : undefined);
    router = await TestRouter.start(settings());
    await eventually(async () =>
      expect((await router.status()).coordinator.last_error).toContain(`PUT /api/worker answered ${status}`),
    );
    expect(coordinator.callsOf('PUT')).toHaveLength(1);
  });
});

describe('pulling', () => {
  it('asks conditionally by both forms and keeps the snapshot on 304', async () => {
    router = await TestRouter.start(settings({ reconcile_interval_ms: 100 }));
    await eventually(() => {
      const conditional = coordinator.callsOf('GET', '/router-config').at(-1);
      expect(conditional?.query.get('known_revision')).toBe('1');
      expect(conditional?.headers['if-none-match']).toBe('"1"');
    });
    expect((await router.status()).ready).toBe(true);
  });

  it('serves the last good state when an answer does not validate', async () => {
    coordinator.publications.set('m', publication('m'));
    coordinator.keys.set('k', key());
    router = await TestRouter.start(settings({ reconcile_interval_ms: 100 }));
    await ready();
    coordinator.revision = 2;
    coordinator.publications.set('n', publication('n', {}, { aliases: ['m'] }));
    await eventually(async () =>
      expect((await router.status()).coordinator.last_error).toContain('name "m" is claimed by "m" and "n"'),
    );
    expect((await router.listModels(KEY)).names).toEqual(['m']);
    expect((await router.status()).revision).toBe('1');
  });
});

describe('events', () => {
  const acksOf = (kind: string) => bus.acks.filter((ack) => 'kind' in ack && ack.kind === kind);

  beforeEach(async () => {
    coordinator.publications.set('m', publication('m', { [ENDPOINT]: 1 }));
    coordinator.keys.set('k', key());
    coordinator.circuits.set(CIRCUIT, wireCircuit());
    router = await TestRouter.start(settings());
    await ready();
    await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
  });

  it('applies publications and acknowledges with its node id', async () => {
    const model = publication('n', { [ENDPOINT]: 1 });
    await bus.publish({ name: 'appproxy_router_model_updated_event', authority, model, revision: '2' });
    await eventually(() => expect(acksOf('model_updated')).toHaveLength(1));
    expect((await router.listModels(KEY)).names.toSorted()).toEqual(['m', 'n']);
    const { node_id } = await router.status();
    expect(acksOf('model_updated')[0]).toMatchObject({ node_id, id: 'n', revision: '2' });
    await bus.publish({
      name: 'appproxy_router_model_removed_event',
      authority,
      model_name: 'n',
      revision: '3',
    });
    await eventually(() => expect(acksOf('model_removed')).toHaveLength(1));
    expect((await router.listModels(KEY)).names).toEqual(['m']);
  });

  it('takes a key update as a hint: pulls, applies, then acknowledges', async () => {
    coordinator.keys.set('k', key({ allowed_models: ['n'] }));
    coordinator.revision = 2;
    const pulls = coordinator.callsOf('GET', '/router-config').length;
    await bus.publish({ name: 'appproxy_router_key_updated_event', authority, key_id: 'k', revision: '2' });
    await eventually(() => expect(acksOf('key_updated')).toHaveLength(1));
    expect((await router.listModels(KEY)).names).toEqual([]);
    expect(coordinator.callsOf('GET', '/router-config')).toHaveLength(pulls + 1);
  });

  it('answers many hints with few pulls and acknowledges each', async () => {
    const hint = (n: number): AppProxyEvent => ({
      name: 'appproxy_router_key_updated_event',
      authority,
      key_id: `k${n}`,
      revision: String(n + 2),
    });
    const pulls = coordinator.callsOf('GET', '/router-config').length;
    coordinator.revision = 60;
    await Promise.all(Array.from({ length: 50 }, (_, n) => bus.publish(hint(n))));
    await eventually(() => expect(acksOf('key_updated')).toHaveLength(50));
    expect(coordinator.callsOf('GET', '/router-config').length - pulls).toBeLessThan(25);
  });

  it('revokes at once, without a pull, and a pull answer from before does not bring the key back', async () => {
    const { held, open } = gate();
    coordinator.script = (call) => (call.path.endsWith('/router-config') ? held : undefined);
    await bus.publish({ name: 'appproxy_router_key_updated_event', authority, key_id: 'x', revision: '2' });
    coordinator.revision = 2; // The held answer says 1 and still lists the key.
    await eventually(() => expect(coordinator.callsOf('GET', '/router-config').length).toBeGreaterThan(1));
    coordinator.keys.delete('k');
    coordinator.revision = 3;
    await bus.publish({ name: 'appproxy_router_key_removed_event', authority, key_id: 'k', revision: '3' });
    await eventually(() => expect(acksOf('key_removed')).toHaveLength(1));
    expect((await router.listModels(KEY)).status).toBe(401);
    open();
    await eventually(() => expect(acksOf('key_updated')).toHaveLength(1));
    expect((await router.listModels(KEY)).status).toBe(401);
  });

  it('registers a circuit before it acknowledges, follows its routes and forgets it', async () => {
    const created = { ...wireCircuit(), id: 'b3c1e5d7-2b4f-4a2b-8c3d-00000000c002' };
    const other = { ...created, endpoint_id: 'a3c1e5d7-2b4f-4a2b-8c3d-00000000eb02' };
    await bus.publish({ name: 'appproxy_circuit_created_event', authority, circuits: [other] });
    await eventually(() => expect(bus.acks).toHaveLength(1));
    expect(bus.acks[0]).toMatchObject({
      name: 'appproxy_worker_circuit_added_event',
      circuits: [{ id: other.id, endpoint_id: other.endpoint_id }],
    });
    const next = { ...other, version: 2 };
    const routes = [wireRoute(1), wireRoute(2)];
    await bus.publish({ name: 'appproxy_circuit_route_updated_event', authority, circuit: next, routes });
    const counts = async () => (await fetchStatus()).counts;
    await eventually(async () => expect(await counts()).toMatchObject({ circuits: 2, replicas: 3 }));
    await bus.publish({
      name: 'appproxy_circuit_removed_event',
      authority,
      circuits: [{ ...next, version: 3 }],
    });
    await eventually(async () => expect(await counts()).toMatchObject({ circuits: 1, replicas: 1 }));
  });

  it('ignores other authorities', async () => {
    const other = uniqueAuthority();
    await bus.publish({ name: 'appproxy_router_key_removed_event', authority: other, key_id: 'k' });
    await bus.publish({
      name: 'appproxy_router_model_updated_event',
      authority,
      model: publication('n'),
    });
    await eventually(() => expect(acksOf('model_updated')).toHaveLength(1));
    expect((await router.listModels(KEY)).status).toBe(200);
    expect(acksOf('key_removed')).toEqual([]);
  });

  async function fetchStatus() {
    const response = await fetch(`${router.adminUrl}/status`);
    return (await response.json()) as { readonly counts: { circuits: number; replicas: number } };
  }
});
