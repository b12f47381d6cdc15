import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeEnvelope, type Circuit } from '@penstock/protocol';
import { testRedisUrl } from '@penstock/testkit';
import { Redis } from 'ioredis';
import { envelopeForms } from '../../../../packages/protocol/fixtures/envelope-forms.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

interface Recorded {
  readonly message: string;
  readonly acknowledged: boolean;
  readonly request_to_its_subdomain_afterwards?: number;
}

/** What a message does here: whether it is acknowledged, and what its circuit answers afterwards. */
interface Outcome {
  readonly acknowledged: boolean;
  readonly status: number;
}

const { foreign_messages: recorded } = loadVectors<{ readonly foreign_messages: readonly Recorded[] }>(
  'recorded-redis',
);
const CREATED = 'appproxy_circuit_created_event';
const UPDATED = 'appproxy_circuit_route_updated_event';
const REMOVED = 'appproxy_circuit_removed_event';

/** Where ours does more than the worker 26.9.6, and what. */
const OURS: Readonly<Record<string, Partial<Outcome>>> = {
  // Any generation is read.
  'tuple-only': { acknowledged: true, status: 200 },
  // Routers are known here; a wildcard worker has no host for their circuits.
  'router-circuit': { acknowledged: true, status: 404 },
  // Known, and served by nobody: no coordinator places it here.
  'port-circuit-to-wildcard': { acknowledged: true, status: 404 },
  // The event carries the whole circuit, so nothing is missing to serve it.
  'route-update-unknown-circuit': { status: 200 },
  'route-negative-ratio': { status: 503 },
  // The newest word on a circuit counts, on which a manager relies that edits a living deployment.
  'route-open-flag-change': { status: 401 },
};

describe('what a running wildcard worker makes of foreign messages', () => {
  let worker: RunningWorker;
  let upstream: ScriptedUpstream;
  let otherDatabase: Redis;
  let serial = 500;

  beforeAll(async () => {
    upstream = await new ScriptedUpstream().listen();
    worker = await RunningWorker.start('wildcard');
    const url = new URL(testRedisUrl());
    url.pathname = '/0';
    otherDatabase = new Redis(url.href);
  });

  afterAll(async () => {
    otherDatabase.disconnect();
    await worker.stop();
    await upstream.close();
  });

  const subject = (over: Partial<Circuit> = {}) =>
    vectorCircuit(upstream.port, { ...numbered(serial), open_to_public: true, ...over });
  const created = (circuit: unknown = subject()) => worker.created([circuit]);
  const updated = (circuit: Circuit, over: object) =>
    worker.message(UPDATED, { circuit, routes: circuit.route_info.map((route) => ({ ...route, ...over })) });
  /** A message with some of its parts changed; undefined leaves a part out. */
  const edited = (text: string, changes: object) =>
    JSON.stringify({ ...(JSON.parse(text) as object), ...changes });
  const metadata = (text: string) => ({ metadata: text });
  const tuple = () => {
    const decoded = decodeEnvelope(created());
    return decoded.ok ? envelopeForms(decoded.event, decoded.source) : { A: '', dual: '' };
  };
  const payloadOf = (text: string) => (JSON.parse(text) as { readonly payload: string }).payload;
  const first = async (circuit = subject()) => worker.create(circuit);

  const messages: Readonly<Record<string, () => string | Promise<string>>> = {
    'payload+2-key-metadata': () => edited(created(), metadata('{"request_id":null,"user":null}')),
    dual: () => tuple().dual,
    'tuple-only': () => tuple().A,
    'no-metadata': () => edited(created(), { metadata: undefined }),
    'metadata-object': () => edited(created(), { metadata: { request_id: null } }),
    'metadata-extra-keys': () => edited(created(), metadata('{"request_id":null,"trace":1}')),
    'metadata-garbage': () => edited(created(), metadata('{')),
    'no-source': () => edited(created(), { source: undefined }),
    'extra-top-level': () => edited(created(), { extra: 1 }),
    'payload-object': () => edited(created(), { payload: JSON.parse(payloadOf(created())) as object }),
    'extra-payload-keys': () => worker.message(CREATED, { circuits: [subject()], extra: 1 }),
    'other-authority': () => created().replaceAll(worker.authority, 'another-authority'),
    'router-circuit': () => created(subject({ frontend_mode: 'router', subdomain: null })),
    'after-router': () => created(),
    'port-circuit-to-wildcard': () =>
      created(subject({ frontend_mode: 'port', subdomain: null, port: 10_501 })),
    'empty-circuits': () => worker.created([]),
    'two-circuits-one-event': () =>
      worker.created([subject(), vectorCircuit(1, numbered((serial + 1) * 10))]),
    'numeric-times': () => created({ ...subject(), created_at: 1_784_516_645, updated_at: 1_784_516_645 }),
    'missing-updated_at': () => created({ ...subject(), updated_at: undefined }),
    'publish-on-db0': () => created(),
    'duplicate-created-1': () => created(),
    'duplicate-created-2': async () => {
      await first({ ...subject(), route_info: [] });
      return created();
    },
    'route-update-unknown-circuit': () => updated(subject(), {}),
    'route-update-routes-differ-from-circuit': async () => {
      await first();
      return worker.message(UPDATED, {
        circuit: { ...subject(), route_info: [] },
        routes: subject().route_info,
      });
    },
    'route-ratio-zero': async () => (await first(), updated(subject(), { traffic_ratio: 0 })),
    'route-null-host': async () => (await first(), updated(subject(), { kernel_host: null })),
    'route-negative-ratio': async () => (await first(), updated(subject(), { traffic_ratio: -1 })),
    'route-open-flag-change': async () => (await first(), updated(subject({ open_to_public: false }), {})),
    'removed-unknown': () => worker.message(REMOVED, { circuits: [subject()] }),
    removed: async () => (await first(), worker.message(REMOVED, { circuits: [subject()] })),
    'removed-twice': async () => {
      await first();
      await worker.publish(worker.message(REMOVED, { circuits: [subject()] }));
      return worker.message(REMOVED, { circuits: [subject()] });
    },
    'kebab-routes': () => created(kebab(subject())),
    garbage: () => '{"not json',
    'json-array': () => '[1,2]',
    'unknown-event': () => edited(created(), { name: 'do_check_worker_lost' }),
    'still-alive': () => created(),
  };

  /** Without a recorded status of a 200 the circuit of the message is not there. */
  function expected({
    message,
    acknowledged,
    request_to_its_subdomain_afterwards: status,
  }: Recorded): Outcome {
    const known = status === 400 || status === undefined ? 404 : status;
    return { acknowledged, status: known, ...OURS[message] };
  }

  it.each(recorded)('$message', async (entry) => {
    serial += 1;
    const text = await messages[entry.message]?.();
    if (text === undefined) throw new Error('no message');
    if (entry.message === 'publish-on-db0') await otherDatabase.publish('events_all-appproxy', text);
    const acks = await worker.acksOf(text, vectorCircuit(1, numbered(serial * 100)));
    const { status } = await worker.call(`c${serial}`, { path: '/x' });
    expect({ acknowledged: acks.length > 0, status }).toEqual(expected(entry));
  });
});

/** A circuit whose routes are spelled in kebab-case. */
function kebab(circuit: Circuit): object {
  const route_info = circuit.route_info.map((route) =>
    Object.fromEntries(
      Object.entries(route).map(([key, value]) => [
        key === 'traffic_ratio' ? key : key.replaceAll('_', '-'),
        value,
      ]),
    ),
  );
  return { ...circuit, route_info };
}
