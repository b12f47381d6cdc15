import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Circuit } from '@penstock/protocol';

import type { Call } from '../support/coordinator-instance.js';
import type { FakeStockWorker } from '../support/fake-stock-worker.js';
import { recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { loadVectors } from '../support/vectors.js';

interface Label {
  readonly preferred: string | null;
  readonly taken: readonly string[];
  readonly result?: string;
  readonly pattern?: string;
}

interface Access {
  readonly input: Readonly<Record<string, unknown>>;
  readonly visibility: string;
  readonly requires_token: boolean;
}

const labels = loadVectors<{ exact: readonly Label[]; pattern: readonly Label[] }>('subdomain.json');
const visibility = loadVectors<{
  from_legacy: readonly Access[];
  explicit: readonly Access[];
  reject: readonly { readonly input: object; readonly status: number }[];
  to_legacy: readonly {
    readonly visibility: string;
    readonly requires_token: boolean;
    readonly open_to_public: boolean;
  }[];
  placement: readonly {
    readonly visibility: string;
    readonly worker_has_internal_frontend: boolean;
    readonly eligible: boolean;
  }[];
}>('visibility.json');

const INTERNAL_FRONTEND = { host: '10.0.0.5', port: 8443, domain: '.internal.example' };
let count = 0;

/** A creation of one endpoint; each has an id of its own. */
function creation(fields: object): Required<Pick<Call, 'body'>> {
  const [item] = (recordedCall('endpoints', 'exhaust-3').request.body as { endpoints: object[] }).endpoints;
  count += 1;
  const deployment_id = `a3c1e5d7-2b4f-4a2b-8c3d-${String(count).padStart(12, '0')}`;
  const { open_to_public: _open, ...rest } = { open_to_public: null, ...item };
  return { body: { endpoints: [{ ...rest, service_name: `s${count}`, deployment_id, ...fields }] } };
}

async function create(fleet: RecordedFleet, fields: object): Promise<number> {
  return (await fleet.coordinator.call('POST', '/v2/endpoints/bulk', creation(fields))).status;
}

async function newest(fleet: RecordedFleet, worker: FakeStockWorker): Promise<Circuit | undefined> {
  const { body } = await fleet.coordinator.call('GET', `/api/worker/${worker.workerId}/circuits`);
  return body.circuits.find(({ endpoint_id: id }) => id?.endsWith(String(count).padStart(12, '0')));
}

describe('labels of a running coordinator', () => {
  let fleet: RecordedFleet;
  let worker: FakeStockWorker;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    worker = await fleet.join('wildcard');
  });

  afterAll(() => fleet.stop());

  /** An endpoint whose service has that name, and gone again, so that the next case finds its label free. */
  async function labelOf({ preferred, taken }: Label): Promise<string | null | undefined> {
    for (const name of taken) expect(await create(fleet, { service_name: name })).toBe(200);
    expect(await create(fleet, { service_name: preferred ?? '' })).toBe(200);
    const circuit = await newest(fleet, worker);
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${worker.workerId}/circuits`);
    const ids = body.circuits.map(({ id }) => id);
    await fleet.coordinator.call('DELETE', '/api/circuit/_/bulk', { body: { circuit_ids: ids } });
    return circuit?.subdomain;
  }

  it.each(labels.exact)('$result for $preferred', async (example) => {
    expect(await labelOf(example)).toBe(example.result);
  });

  it.each(labels.pattern)('$pattern for $preferred beside $taken', async (example) => {
    expect(await labelOf(example)).toMatch(new RegExp(example.pattern ?? ''));
  });
});

describe('visibility in a running coordinator', () => {
  let fleet: RecordedFleet;
  let worker: FakeStockWorker;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    worker = await fleet.join('wildcard', { internal_frontend: INTERNAL_FRONTEND });
  });

  afterAll(() => fleet.stop());

  /** What a reader makes of a circuit that says nothing of visibility is part of the wire. */
  const accessOf = (circuit: Circuit | undefined) => ({
    visibility: circuit?.visibility ?? 'public',
    requires_token: circuit?.requires_token ?? circuit?.open_to_public === false,
  });

  it.each([...visibility.from_legacy, ...visibility.explicit])('$input', async ({ input, ...expected }) => {
    expect(await create(fleet, input)).toBe(200);
    const { visibility: who, requires_token } = expected;
    expect(accessOf(await newest(fleet, worker))).toEqual({ visibility: who, requires_token });
  });

  it.each(visibility.reject)('refuses $input', async ({ input, status }) => {
    expect(await create(fleet, input)).toBe(status);
    expect(await newest(fleet, worker)).toBeUndefined();
  });

  it.each(visibility.to_legacy)(
    'tells old readers of $visibility with token $requires_token: $open_to_public',
    async ({ open_to_public, ...access }) => {
      expect(await create(fleet, access)).toBe(200);
      expect(await newest(fleet, worker)).toMatchObject({ open_to_public });
    },
  );
});

describe.each([false, true])('placement on a worker with an internal frontend: %s', (has) => {
  let fleet: RecordedFleet;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    await fleet.join('wildcard', has ? { internal_frontend: INTERNAL_FRONTEND } : {});
  });

  afterAll(() => fleet.stop());

  it.each(visibility.placement.filter((example) => example.worker_has_internal_frontend === has))(
    '$visibility is placed: $eligible',
    async ({ visibility: who, eligible }) => {
      expect(await create(fleet, { visibility: who })).toBe(eligible ? 200 : 503);
    },
  );
});
