import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeEnvelope, type AppProxyEvent } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';
import { envelopeForms } from '../../../../packages/protocol/fixtures/envelope-forms.js';
import { acceptedBy } from '../../../../packages/protocol/fixtures/peer-generations.js';
import {
  acceptanceCases,
  busMessages,
  recordedEvents,
  type RecordedEvent,
} from '../../../../packages/protocol/fixtures/recorded-events.js';
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
  let serial = 100;

  beforeAll(async () => {
    worker = await RunningWorker.start('wildcard');
  });

  afterAll(() => worker.stop());

  /** The event of a message, meant for this worker. */
  function ours(text: string): AppProxyEvent {
    const decoded = decodeEnvelope(text);
    if (!decoded.ok) throw new Error(decoded.reason);
    return { ...decoded.event, authority: worker.authority };
  }

  const sentinel = () => vectorCircuit(1, numbered((serial += 1)));
  const replicas = async (path = '/x') => (await worker.call('llama-a', { path })).status;

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
    const emptied = { ...event, routes: [] } as AppProxyEvent;
    await worker.acksOf(envelopeForms(emptied, COORDINATOR)[form], sentinel());
    expect(await replicas()).toBe(401);
    expect(await worker.acksOf(envelopeForms(event, COORDINATOR)[form], sentinel())).toEqual([]);
    expect(await routes()).toBe(2);
    await worker.acksOf(envelopeForms(emptied, COORDINATOR)[form], sentinel());
    expect(await routes()).toBe(0);
  });

  /** Replicas of the vectors' circuit, by what the worker tells its administrators. */
  async function routes(): Promise<number | undefined> {
    const { endpoints } = (await worker.router.status()) as unknown as {
      readonly endpoints?: readonly { readonly circuit_id: string; readonly replicas: readonly unknown[] }[];
    };
    return endpoints?.find(({ circuit_id: id }) => id.endsWith('b1d2c3e4f503'))?.replicas.length;
  }

  it.each(GENERATIONS)('circuit-removed of generation %s takes the circuit away', async (form) => {
    const created = envelopeForms(ours(vector('circuit-created').envelope_dual), COORDINATOR)[form];
    await worker.acknowledged(() => worker.publish(created));
    expect(await replicas()).toBe(401);
    const removed = envelopeForms(ours(vector('circuit-removed').envelope_dual), COORDINATOR)[form];
    expect(await worker.acksOf(removed, sentinel())).toEqual([]);
    expect(await replicas()).toBe(404);
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

  it('pulls circuits in every spelling and skips only those that nobody can read', async () => {
    const circuits = [...circuitVectors.valid, ...circuitVectors.invalid_for_python_models];
    const pulling = await RunningWorker.start('wildcard', { reconcile_interval_ms: 100 }, (coordinator) => {
      const input = { ...circuitVectors.valid[6]?.input, ...numbered(1) };
      for (const [index, example] of circuits.entries()) {
        coordinator.circuits.set(`${index}`, { ...example.input, ...(index === 6 && input) } as never);
      }
    });
    await eventually(async () => {
      expect((await pulling.call('llama-a', { path: '/x' })).status).toBe(401);
      expect((await pulling.call('c1', { path: '/x' })).status).toBe(401);
    });
    await pulling.stop();
  });
});

const CARRIED = { name: true, args: true, payload: true };

/** Times compare as instants. */
function instants(circuit: unknown): unknown {
  const { created_at, updated_at, ...rest } = circuit as Record<string, string>;
  return { ...rest, times: [created_at, updated_at].map((time) => Date.parse(time ?? '')) };
}
