import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeEnvelope, type AppProxyEvent } from '@penstock/protocol';
import { envelopeForms } from '../../../../packages/protocol/fixtures/envelope-forms.js';
import { acceptedBy } from '../../../../packages/protocol/fixtures/peer-generations.js';
import {
  acceptanceCases,
  busMessages,
  recordedEvents,
  type RecordedEvent,
} from '../../../../packages/protocol/fixtures/recorded-events.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { circuitsOf, RunningWorker } from '../support/running-worker.js';
import { circuitVectors, numbered, vectorCircuit } from '../support/vectors.js';

const GENERATIONS = ['A', 'B', 'C', 'dual'] as const;
/** The one input that only peers without routers refuse. */
const ROUTER_ON_OLD_PEERS = 'frontend-router-on-old-python';
/** Metadata keys that no peer knows cost a peer the message; here it is read all the same. */
const OURS_ALONE = 'metadata-extra-key';
const COORDINATOR = 'appproxy-coordinator';

function vector(name: string): RecordedEvent {
  const found = recordedEvents.find((event) => event.case === name);
  if (found === undefined) throw new Error(`no event ${name}`);
  return found;
}

describe('circuit events at a running wildcard worker', () => {
  let worker: RunningWorker;
  let upstream: ScriptedUpstream;
  let serial = 100;

  beforeAll(async () => {
    upstream = await new ScriptedUpstream().listen();
    worker = await RunningWorker.start('wildcard');
  });

  afterAll(async () => {
    await worker.stop();
    await upstream.close();
  });

  /** The event of a message, meant for this worker. */
  function ours(text: string): AppProxyEvent {
    const decoded = decodeEnvelope(text);
    if (!decoded.ok) throw new Error(decoded.reason);
    return { ...decoded.event, authority: worker.authority };
  }

  const sentinel = () => vectorCircuit(1, numbered((serial += 1)));
  const status = async () => (await worker.call('llama-a', { path: '/x' })).status;

  it.each(GENERATIONS)(
    'circuit-created of generation %s is acknowledged with its very circuits',
    async (form) => {
      const text = envelopeForms(ours(vector('circuit-created').envelope_dual), COORDINATOR)[form];
      const ack = await worker.acknowledged(() => worker.publish(text));
      const expected = vector('worker-circuit-added-ack');
      const payload = expected.payload.replaceAll('wild-seoul-1', worker.authority);
      expect((JSON.parse(ack) as { payload: string }).payload).toBe(payload);
      expect(acceptedBy(ack)).toEqual({ A: true, B: true, C: true });
    },
  );

  it.each(GENERATIONS)('circuit-route-updated of generation %s replaces the routes', async (form) => {
    const event = ours(vector('circuit-route-updated').envelope_dual);
    if (event.name !== 'appproxy_circuit_route_updated_event') throw new Error(event.name);
    const circuit = vectorCircuit(upstream.port, { ...numbered(1), open_to_public: true });
    const push = (routes: typeof event.routes) =>
      worker.acksOf(envelopeForms({ ...event, circuit, routes }, COORDINATOR)[form], sentinel());
    for (const count of [0, 2, 0]) {
      const routes = event.routes.map((route) => ({
        ...route,
        kernel_host: '127.0.0.1',
        kernel_port: upstream.port,
      }));
      // Nobody waits for these, so 26.9.6 is told nothing.
      expect(await push(routes.slice(0, count))).toEqual([]);
      expect((await worker.call('c1', { path: '/x' })).status).toBe(count > 0 ? 200 : 503);
    }
  });

  it.each(GENERATIONS)('circuit-removed of generation %s takes the circuit away', async (form) => {
    const created = envelopeForms(ours(vector('circuit-created').envelope_dual), COORDINATOR)[form];
    await worker.acknowledged(() => worker.publish(created));
    expect(await status()).toBe(401);
    const removed = envelopeForms(ours(vector('circuit-removed').envelope_dual), COORDINATOR)[form];
    expect(await worker.acksOf(removed, sentinel())).toEqual([]);
    expect(await status()).toBe(404);
  });

  it.each(circuitVectors.valid)('reads $name and says it back in canonical form', async (example) => {
    const ack = await worker.acknowledged(() => worker.publish(worker.created([example.input])));
    const [circuit] = circuitsOf(ack);
    expect(instants(circuit)).toEqual(instants(example.canonical_output));
    expect(Object.keys(circuit ?? {})).toEqual(Object.keys(example.canonical_output));
  });

  it.each(circuitVectors.invalid_for_python_models)('takes or leaves $name', async ({ name, input }) => {
    const acks = await worker.acksOf(worker.created([input]), sentinel());
    expect(acks).toHaveLength(name === ROUTER_ON_OLD_PEERS ? 1 : 0);
  });

  it.each(acceptanceCases)('takes a circuit in the envelope $name if any release would', async (example) => {
    const event = {
      name: 'appproxy_circuit_created_event',
      authority: worker.authority,
      circuits: [sentinel()],
    };
    const own = JSON.parse(envelopeForms(event as AppProxyEvent, COORDINATOR).dual) as Record<
      string,
      unknown
    >;
    const entries = Object.entries(JSON.parse(example.envelope) as object);
    const carried = entries.map(([key, value]): [string, unknown] => [
      key,
      key in CARRIED ? own[key] : value,
    ]);
    const acks = await worker.acksOf(JSON.stringify(Object.fromEntries(carried)), sentinel());
    const isTaken = Object.values(example.accepted_by).includes(true) || example.name === OURS_ALONE;
    expect(acks).toHaveLength(isTaken ? 1 : 0);
  });

  it.each(busMessages.filter(({ envelope }) => envelope.includes('circuit_created')))(
    '$case as 26.9.6 sent it is acknowledged as 26.9.6 acknowledged it',
    async ({ envelope }) => {
      const text = envelope.replaceAll('wildcard-worker', worker.authority);
      const ack = await worker.acknowledged(() => worker.publish(text));
      const recorded = busMessages.find((message) => message.case === 'circuit-added-ack')?.envelope ?? '{}';
      const { payload } = JSON.parse(recorded) as { readonly payload: string };
      expect((JSON.parse(ack) as { payload: string }).payload).toBe(
        payload.replaceAll('wildcard-worker', worker.authority),
      );
    },
  );

  it('pulls circuits in every spelling', async () => {
    const pulling = await RunningWorker.start('wildcard', {}, ({ circuits }) => {
      for (const [index, { input }] of circuitVectors.valid.entries()) {
        const { 'endpoint-id': _kebab, ...rest } = input;
        circuits.set(`${index}`, { ...rest, ...numbered(index) } as never);
      }
    });
    for (const [index, { name, canonical_output: circuit }] of circuitVectors.valid.entries()) {
      const { status } = await pulling.call(`c${index}`, { path: '/x' });
      expect({ name, found: status !== 404 }).toEqual({ name, found: circuit.frontend_mode === 'wildcard' });
    }
    await pulling.stop();
  });
});

const CARRIED = { name: true, args: true, payload: true };

/** Times compare as instants. */
function instants(circuit: unknown): unknown {
  const { created_at, updated_at, ...rest } = circuit as Record<string, string>;
  return { ...rest, times: [created_at, updated_at].map((time) => Date.parse(time ?? '')) };
}
