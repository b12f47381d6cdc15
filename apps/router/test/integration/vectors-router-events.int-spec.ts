import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeEnvelope, type AppProxyEvent, type Circuit } from '@penstock/protocol';
import { envelopeForms } from '../../../../packages/protocol/fixtures/envelope-forms.js';
import { acceptedBy } from '../../../../packages/protocol/fixtures/peer-generations.js';
import {
  recordedEvents,
  type RecordedEvent,
} from '../../../../packages/protocol/fixtures/recorded-events.js';
import { RunningWorker } from '../support/running-worker.js';
import { numbered, vectorCircuit } from '../support/vectors.js';

const GENERATIONS = ['A', 'B', 'C', 'dual'] as const;
const KINDS = ['model-updated', 'model-removed', 'key-updated', 'key-removed'] as const;
const VECTOR_NODE = '1b2c3d4e-0000-4000-8000-0000000000f1';

function vector(name: string): RecordedEvent {
  const found = recordedEvents.find((event) => event.case === name);
  if (found === undefined) throw new Error(`no event ${name}`);
  return found;
}

describe.each(GENERATIONS)('router events of generation %s at a running router', (form) => {
  let worker: RunningWorker;
  let nodeId: string;

  beforeAll(async () => {
    worker = await RunningWorker.start('router');
    nodeId = (await worker.router.status()).node_id;
  });

  afterAll(() => worker.stop());

  function text(name: string): string {
    const decoded = decodeEnvelope(vector(name).envelope_dual);
    if (!decoded.ok) throw new Error(decoded.reason);
    const event: AppProxyEvent = { ...decoded.event, authority: worker.authority };
    return envelopeForms(event, decoded.source)[form];
  }

  it.each(KINDS)('router-%s is acknowledged to the byte', async (kind) => {
    const ack = await worker.acknowledged(() => worker.publish(text(`router-${kind}`)));
    const expected = vector(`router-ack-${kind}`);
    const ours = (value: string) =>
      value.replaceAll('router-seoul-1', worker.authority).replaceAll(VECTOR_NODE, nodeId);
    const { payload, source } = JSON.parse(ack) as { readonly payload: string; readonly source: string };
    expect({ payload, source }).toEqual({ payload: ours(expected.payload), source: expected.source });
    expect(acceptedBy(ack)).toEqual({ A: true, B: true, C: true });
  });

  it('router-circuit-route-updated brings a circuit with its replicas, and is answered by nobody', async () => {
    await worker.publish(text('router-model-updated'));
    const after = vectorCircuit(1, { ...numbered(1), subdomain: null, frontend_mode: 'router' });
    const acks = await worker.acksOf(text('router-circuit-route-updated'), after);
    expect(acks.filter((ack) => ack.includes('circuit_added'))).toEqual([]);
    const { circuit } = JSON.parse(vector('router-circuit-route-updated').payload) as { circuit: Circuit };
    const { counts } = await worker.router.status();
    // The circuit sent after it is there as well, with one replica.
    expect(counts).toMatchObject({ circuits: 2, replicas: circuit.route_info.length + 1 });
  });
});
