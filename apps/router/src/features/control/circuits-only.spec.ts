import { expect, it } from '@jest/globals';
import type { AppProxyEvent } from '@penstock/protocol';
import { createMetrics } from '@penstock/observability';
import { circuit, publication } from '../snapshot/testing/wire-builders.js';
import { circuitsOnly } from './circuits-only.client.js';
import { ControlMetrics } from './control-metrics.js';
import type { CoordinatorClient } from './coordinator-client.port.js';
import { EMPTY_STATE } from './domain/desired-state.js';
import { workerRequest } from './domain/worker-request.js';
import { RouterEventConsumer } from './router-event.consumer.js';
import { StateHarness } from './testing/state-harness.js';

const FACTS = {
  authority: 'authority',
  nodeId: 'node',
  version: '1',
  hostname: 'h',
  tlsAdvertised: false,
  publicPort: 10_400,
  trafficPort: null,
  adminAddress: 'a:1',
  internalFrontend: null,
};

const refuse = () => Promise.reject(new Error('not to be called'));
const client = (circuits: CoordinatorClient['circuits']): CoordinatorClient => ({
  register: refuse,
  heartbeat: refuse,
  deregister: refuse,
  circuits,
  routerConfig: refuse,
  close: refuse,
});

it('makes a snapshot whole by circuits alone, and asks for no router-config', async () => {
  const world = new StateHarness();
  const held = circuit('c', 'e', { frontend_mode: 'wildcard', subdomain: 'c' });
  const only = circuitsOnly(client(() => Promise.resolve([held])));
  for (const revision of [null, '0']) {
    const circuits = await only.circuits('w', new Map());
    const config = (await only.routerConfig('w', { ...EMPTY_STATE, revision })) ?? 'unchanged';
    world.pull({ circuits, config });
    expect([...(world.snapshots.current()?.publicHosts.keys() ?? [])]).toEqual(['c']);
  }
});

it('takes circuit events and no others', () => {
  const world = new StateHarness();
  const metrics = new ControlMetrics(createMetrics({ service: 'router', processMetrics: false }));
  const { store: state } = world;
  const consumer = new RouterEventConsumer({ authority: 'authority', mode: 'wildcard', state, metrics });
  const authority = 'authority';
  const router: AppProxyEvent[] = [
    { name: 'appproxy_router_model_updated_event', authority, model: publication('m') },
    { name: 'appproxy_router_key_removed_event', authority, key_id: 'k' },
  ];
  for (const event of router) consumer.consume(event, {});
  expect(state.current).toEqual(EMPTY_STATE);
  expect(world.acks).toEqual([]);
  consumer.consume({ name: 'appproxy_circuit_created_event', authority, circuits: [circuit('c', 'e')] }, {});
  expect([...state.current.circuits.keys()]).toEqual(['c']);
});

it('acknowledges a circuit that came before the first pull once it is served', () => {
  const world = new StateHarness();
  const created = circuit('c', 'e');
  world.receive({ name: 'appproxy_circuit_created_event', authority: 'authority', circuits: [created] });
  expect(world.acks).toEqual([]);
  expect(world.pullRequests).toEqual(['all']);
  world.pull({
    circuits: [created],
    config: { revision: '0', publications: new Map(), keys: EMPTY_STATE.keys },
  });
  expect(world.acks).toMatchObject([
    { name: 'appproxy_worker_circuit_added_event', circuits: [{ id: 'c' }] },
  ]);
});

it('sees no change in a public circuit that comes in another spelling', () => {
  const world = new StateHarness();
  const pulled = circuit('c', 'e', { open_to_public: true });
  const nothing = { revision: '0', publications: new Map(), keys: EMPTY_STATE.keys };
  world.pull({ circuits: [pulled], config: nothing });
  const before = world.snapshots.current();
  const spelt = { ...pulled, visibility: 'public', requires_token: false } as const;
  world.receive({ name: 'appproxy_circuit_created_event', authority: 'authority', circuits: [spelt] });
  expect(world.snapshots.current()).toBe(before);
  expect(world.acks).toHaveLength(1);
});

it('registers with the slot fields of its mode, and nulls for the others', () => {
  const wildcard = { domain: '.models.example.com', trafficPort: null };
  expect(workerRequest({ ...FACTS, wildcard })).toMatchObject({
    frontend_mode: 'wildcard',
    protocol: 'http',
    accepted_traffics: ['inference'],
    wildcard_domain: '.models.example.com',
    wildcard_traffic_port: 10_400,
    port_range: null,
  });
  expect(workerRequest({ ...FACTS, wildcard: { ...wildcard, trafficPort: 443 } })).toMatchObject({
    wildcard_traffic_port: 443,
  });
  expect(workerRequest({ ...FACTS, wildcard: null })).toMatchObject({
    frontend_mode: 'router',
    wildcard_domain: null,
    wildcard_traffic_port: null,
  });
});
