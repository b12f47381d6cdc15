import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_CHANNEL, EVENT_NAMES } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { Redis } from 'ioredis';

import { acceptedBy } from '../../../../packages/protocol/fixtures/peer-generations.js';
import {
  recordedEvents,
  type RecordedEvent,
} from '../../../../packages/protocol/fixtures/recorded-events.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { withPlaceholders } from '../support/vectors.js';

type Json = Record<string, unknown>;

const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
const ALL = { A: true, B: true, C: true };

function vector(name: string): RecordedEvent {
  const found = recordedEvents.find((event) => event.case === name);
  if (found === undefined) throw new Error(`no event ${name}`);
  return found;
}

/** What a running coordinator puts on the bus, as raw text, by the name of the event. */
describe('events of a running coordinator', () => {
  let fleet: RecordedFleet;
  let listener: Redis;
  const texts: string[] = [];

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    listener = new Redis(testRedisUrl());
    listener.on('message', (_channel: string, text: string) => void texts.push(text));
    await listener.subscribe(EVENT_CHANNEL);
  });

  afterAll(async () => {
    listener.disconnect();
    await fleet.stop();
  });

  /** The last message of that name for that authority: its tuple, its payload and the text. */
  async function last(name: string, authority: string) {
    const text = await eventually(() => {
      const found = texts.findLast((message) => message.includes(`"${name}"`) && message.includes(authority));
      if (found === undefined) throw new Error(`${name} was not heard yet`);
      return found;
    });
    const { payload, source } = JSON.parse(text) as { payload: string; source: string };
    return { text, source, payload: JSON.parse(payload) as Json };
  }

  const routes = () => {
    const { routes: recorded } = JSON.parse(vector('circuit-route-updated').payload) as { routes: Json[] };
    return recorded.map(({ route_id, session_id, kernel_host, kernel_port, traffic_ratio }) => ({
      ...{ route_id, session_id, kernel_host, kernel_port, traffic_ratio },
    }));
  };

  it('are for stock workers what 26.9.6 sends: created, route-updated, removed', async () => {
    const worker = await fleet.join('wildcard');
    const { request } = recordedCall('endpoints', 'create-bulk-mixed');
    const [item] = (request.body as { endpoints: object[] }).endpoints;
    await fleet.coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    const push = { endpoints: [{ deployment_id: ENDPOINT, routes: routes() }] };
    await fleet.coordinator.call('POST', '/v2/endpoints/bulk/routes', { body: push });
    await fleet.coordinator.call('DELETE', `/v2/endpoints/${ENDPOINT}`);

    for (const name of ['circuit-created', 'circuit-route-updated', 'circuit-removed']) {
      const { payload: recorded, source } = vector(name);
      const expected = withPlaceholders(JSON.parse(recorded) as Json, { 'wild-seoul-1': worker.authority });
      const own = await last(`appproxy_${name.replaceAll('-', '_')}_event`, worker.authority);
      expect(acceptedBy(own.text)).toEqual(ALL);
      expect(own.source).toBe(source);
      expect(Object.keys(own.payload)).toEqual(Object.keys(expected));
      expect(comparable(own.payload, name)).toEqual(comparable(expected, name));
    }
  });

  it('are for routers to the letter of the tuples, with the revision beside the payload', async () => {
    const authority = uniqueAuthority();
    const router = await RecordedFleet.start();
    const node = await FakeRouterNode.join(router.coordinator, { authority, redisUrl: testRedisUrl() });
    const model = (JSON.parse(vector('router-model-updated').payload) as { model: Json }).model;
    const base = `/v2/routers/${authority}`;
    const { model: name, ...content } = model;
    const key = { token_hash: 'ab'.repeat(32), allowed_models: [name] };
    await router.coordinator.call('PUT', `${base}/models/${String(name)}`, { body: content });
    await router.coordinator.call('PUT', `${base}/api-keys/key-7f3a`, { body: key });
    await router.coordinator.call('DELETE', `${base}/api-keys/key-7f3a`);
    await router.coordinator.call('DELETE', `${base}/models/${String(name)}`);
    for (const kind of ['model-updated', 'model-removed', 'key-updated', 'key-removed']) {
      const expected = vector(`router-${kind}`);
      const own = await last(`appproxy_router_${kind.replaceAll('-', '_')}_event`, authority);
      expect(acceptedBy(own.text)).toEqual(ALL);
      const { revision, ...payload } = own.payload;
      expect(revision).toEqual(expect.stringMatching(/^\d+$/));
      expect(JSON.stringify(payload)).toBe(expected.payload.replaceAll('router-seoul-1', authority));
    }
    expect(node.heard(EVENT_NAMES.routerKeyRemoved)).toHaveLength(1);
    await node.leave();
    await router.stop();
  });

  it('carry a rollout ramp to routers: router-circuit-route-updated', async () => {
    const authority = uniqueAuthority();
    const router = await RecordedFleet.start();
    const node = await FakeRouterNode.join(router.coordinator, { authority, redisUrl: testRedisUrl() });
    const expected = JSON.parse(vector('router-circuit-route-updated').payload) as {
      circuit: Json;
      routes: Json[];
    };
    const { request } = recordedCall('endpoints', 'create-bulk-mixed');
    const [item] = (request.body as { endpoints: object[] }).endpoints;
    await router.coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    const { replica_groups } = expected.circuit;
    const push = { endpoints: [{ deployment_id: ENDPOINT, replica_groups, routes: expected.routes }] };
    await router.coordinator.call('POST', '/v2/endpoints/bulk/routes', { body: push });
    const own = await last('appproxy_circuit_route_updated_event', authority);
    const named = withPlaceholders(expected, { 'router-seoul-1': authority });
    expect(comparable(own.payload, 'circuit-route-updated')).toEqual(
      comparable(named, 'circuit-route-updated'),
    );
    await node.leave();
    await router.stop();
  });
});

const MADE_HERE = { id: '', worker: '', created_at: '', updated_at: '' };

/** Ids and times are made here; our version rides along; a creation comes before its routes. */
function comparable(payload: Json, name: string): unknown {
  const plain = ({ version: _version, ...circuit }: Json) => ({
    ...circuit,
    ...MADE_HERE,
    ...(name === 'circuit-created' && { route_info: [] }),
  });
  const { circuits, circuit, ...rest } = payload as { circuits?: Json[]; circuit?: Json };
  return {
    ...rest,
    ...(circuits && { circuits: circuits.map(plain) }),
    ...(circuit && { circuit: plain(circuit) }),
  };
}
