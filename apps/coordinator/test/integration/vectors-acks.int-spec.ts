import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, EVENT_SOURCES, type Circuit } from '@penstock/protocol';

import { envelopeForms } from '../../../../packages/protocol/fixtures/envelope-forms.js';
import { acceptanceCases } from '../../../../packages/protocol/fixtures/recorded-events.js';
import type { FakeStockWorker } from '../support/fake-stock-worker.js';
import { recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { loadVectors } from '../support/vectors.js';

interface Reading {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const circuits = loadVectors<{
  readonly valid: readonly Reading[];
  readonly invalid_for_python_models: readonly Reading[];
}>('circuits.json');
/** The one input that only peers without routers refuse. */
const ROUTER_ON_OLD_PEERS = 'frontend-router-on-old-python';
const refused = circuits.invalid_for_python_models.filter(({ name }) => name !== ROUTER_ON_OLD_PEERS);
const router = circuits.invalid_for_python_models.filter(({ name }) => name === ROUTER_ON_OLD_PEERS);
/** Metadata keys that no peer knows cost a peer the message; here it is read all the same. */
const OURS_ALONE = 'metadata-extra-key';

/**
 * What a coordinator takes for an acknowledgement: a creation that waits for one ends well if it was read and with
 * E10001 if not. The second kind has a coordinator that waits briefly.
 */
describe.each([
  { waits: 'for long', expected: 200, ack_timeout_ms: 10_000 },
  { waits: 'briefly', expected: 503, ack_timeout_ms: 250 },
])('a coordinator that waits $waits', ({ expected, ack_timeout_ms }) => {
  let fleet: RecordedFleet;
  let worker: FakeStockWorker;
  let created = 0;

  beforeAll(async () => {
    fleet = await RecordedFleet.start({ ack_timeout_ms });
    worker = await fleet.join('wildcard');
  });

  afterAll(() => fleet.stop());

  /** Creates an endpoint whose creation is acknowledged by what `answer` makes of it. */
  async function statusWith(answer: (circuits: readonly Circuit[]) => string): Promise<number> {
    worker.acknowledge = answer;
    const { request } = recordedCall('endpoints', 'exhaust-3');
    const [item] = (request.body as { endpoints: object[] }).endpoints;
    created += 1;
    const deployment_id = `a3c1e5d7-2b4f-4a2b-8c3d-${String(created).padStart(12, '0')}`;
    const body = { endpoints: [{ ...item, deployment_id, service_name: `s${created}` }] };
    return (await fleet.coordinator.call('POST', '/v2/endpoints/bulk', { body })).status;
  }

  const ack = (list: readonly Circuit[]) =>
    envelopeForms(
      { name: EVENT_NAMES.workerCircuitAdded, authority: worker.authority, circuits: list },
      EVENT_SOURCES.worker,
    );

  /** The same with the circuit spelled as the vector spells it. */
  function spelled({ input }: Reading, [circuit]: readonly Circuit[]): string {
    const own = { ...input, id: circuit?.id };
    const payload = JSON.stringify({ target_worker_authority: worker.authority, circuits: [own] });
    return JSON.stringify({ ...(JSON.parse(ack([]).C) as object), payload });
  }

  /** The vector's envelope around an acknowledgement that is ours. */
  function wrapped(envelope: string, list: readonly Circuit[]): string {
    const own = JSON.parse(ack(list).dual) as Record<string, unknown>;
    const entries = Object.entries(JSON.parse(envelope) as object);
    const carried = entries.map(([key, value]): [string, unknown] => [
      key,
      key === 'args' || key === 'payload' ? own[key] : value,
    ]);
    return JSON.stringify(Object.fromEntries(carried));
  }

  if (expected === 200) {
    it.each(['A', 'B', 'C', 'dual'] as const)('takes the acknowledgement of generation %s', async (form) => {
      expect(await statusWith((list) => ack(list)[form])).toBe(200);
    });
  }

  if (expected === 503) {
    it('answers 503 to a creation acknowledged with no circuit', async () => {
      expect(await statusWith(() => ack([]).dual)).toBe(503);
    });
  }

  it.each(expected === 200 ? [...circuits.valid, ...router] : refused)(
    `answers ${expected} to a creation acknowledged as $name`,
    async (reading) => {
      expect(await statusWith((list) => spelled(reading, list))).toBe(expected);
    },
  );

  const isRead = ({ name, accepted_by: by }: (typeof acceptanceCases)[number]) =>
    Object.values(by).includes(true) || name === OURS_ALONE;
  it.each(acceptanceCases.filter((example) => isRead(example) === (expected === 200)))(
    `answers ${expected} to a creation acknowledged in the envelope $name`,
    async ({ envelope }) => {
      expect(await statusWith((list) => wrapped(envelope, list))).toBe(expected);
    },
  );
});
