import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, verifyHs256, type JwtClaims } from '@penstock/protocol';

import type { FakeStockWorker } from '../support/fake-stock-worker.js';
import { JWT_SECRET, recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { comparable, recordedSection, replayRecorded, type Ours } from '../support/recorded.js';
import { loadVectors } from '../support/vectors.js';

/** Calls that need a fleet of their own: full, or frozen. */
const APART = new Set([
  'exhaust-3',
  'exhaust-bulk-atomic',
  'create-worker-frozen',
  'create-worker-frozen-retry',
]);
const NOT_CREATED = ['create-missing-tags', 'bulk-not-list', 'bulk-bad-health'];
const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';

/** Where ours differs on purpose. */
const ours: Ours = {
  // The single create works.
  'create-single-wildcard-preferred': {
    status: 200,
    body: {
      success: true,
      endpoint: 'http://llama-a.models.example.com:10600/',
      health_check_enabled: false,
    },
  },
  // Ids of users are the site's business: what is no UUID is not kept, and costs nobody the call.
  'bulk-bad-user': ({ status }) => expect(status).toBeLessThan(500),
  // The words are the validator's, the refusal is the same.
  'routes-bad-port': ({ status, body }) => {
    expect(status).toBe(200);
    expect(body.endpoints[0]).toMatchObject({ deployment_id: ENDPOINT, success: false });
    expect(body.endpoints[0]?.error).toContain('kernel_port');
  },
};

describe('endpoint calls recorded against the coordinator 26.9.6', () => {
  let fleet: RecordedFleet;
  let wildcard: FakeStockWorker;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    wildcard = await fleet.join('wildcard');
    await fleet.join('port');
  });

  afterAll(() => fleet.stop());

  const deletions = (name: string) => name.startsWith('del-');

  it.each(recordedSection('endpoints').filter(({ name }) => !APART.has(name) && !deletions(name)))(
    'endpoints: $name',
    async (exchange) => {
      const before = wildcard.heard(EVENT_NAMES.circuitCreated).length;
      await replayRecorded(fleet.coordinator, exchange, { ours });
      const announced = wildcard.heard(EVENT_NAMES.circuitCreated).length - before;
      if (NOT_CREATED.includes(exchange.name) || exchange.name === 'bulk-again-open')
        expect(announced).toBe(0);
    },
  );

  it.each(recordedSection('routes'))('routes: $name', async (exchange) => {
    await replayRecorded(fleet.coordinator, exchange, { ours });
  });

  it('keeps the ratio and the group of a route, which 26.9.6 drops', async () => {
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${wildcard.workerId}/circuits`);
    const circuit = body.circuits.find(({ endpoint_id: id }) => id === ENDPOINT);
    const group = 'f00dfeed-1234-4abc-9def-0000000000a1';
    expect(circuit?.route_info[0]).toMatchObject({ traffic_ratio: 0.3, replica_group_id: group });
  });

  it.each(recordedSection('tokens_and_health'))('tokens and health: $name', async (exchange) => {
    const { body } = await replayRecorded(fleet.coordinator, exchange, { ours });
    const { token } = body as unknown as { readonly token?: string };
    if (token !== undefined) expect(claimsOf(token)).toMatchObject({ endpoint_id: ENDPOINT });
  });

  it('tokens and health: token-claims', async () => {
    const recorded =
      loadVectors<Record<string, readonly { name: string; claims: JwtClaims }[]>>('recorded-http.json');
    const expected = recorded['tokens_and_health']?.find(({ name }) => name === 'token-claims')?.claims;
    const call = recordedCall('tokens_and_health', 'token-int-exp');
    const { body } = await fleet.coordinator.call('POST', call.request.path, { body: call.request.body });
    const claims = claimsOf((body as unknown as { readonly token: string }).token);
    const appUrl = (value: unknown) => String(value).replace(/\/$/, '');
    expect(comparable({ ...claims, app_url: appUrl(claims['app_url']) })).toEqual(comparable(expected));
  });

  it.each(recordedSection('circuits').filter(({ request }) => !request.path.includes('7e57ab1e')))(
    'circuits: $name',
    async (exchange) => {
      await replayRecorded(fleet.coordinator, exchange);
    },
  );

  it('circuits: stat-inference', async () => {
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${wildcard.workerId}/circuits`);
    const circuit = body.circuits.find(({ endpoint_id: id }) => id === ENDPOINT);
    const answer = await fleet.coordinator.call('GET', `/api/circuit/${circuit?.id}/statistics`);
    const { body: recorded } = recordedCall('circuits', 'stat-inference') as {
      body: Record<string, unknown>;
    };
    expect(answer.body).toMatchObject({ requests: 0, ttl: null });
    expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(Object.keys(recorded)));
  });

  it('circuits: del-circuit, del-bulk, del-bulk-string', async () => {
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${wildcard.workerId}/circuits`);
    const ids = body.circuits.map(({ id }) => id);
    for (const name of ['del-circuit', 'del-bulk', 'del-bulk-string']) {
      const exchange = recordedCall('circuits', name);
      const vectorIds = JSON.stringify(exchange.request).match(/7e57ab1e-0000-4000-8000-\d{12}/g) ?? [];
      const placeholders = Object.fromEntries(vectorIds.map((id) => [id, ids.shift() ?? '']));
      await replayRecorded(fleet.coordinator, exchange, { placeholders });
    }
    const after = await fleet.coordinator.call('GET', `/api/worker/${wildcard.workerId}/circuits`);
    expect(after.body.circuits.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it.each(recordedSection('endpoints').filter(({ name }) => deletions(name)))(
    'endpoints: $name',
    async (exchange) => {
      await replayRecorded(fleet.coordinator, exchange, { ours });
    },
  );
});

function claimsOf(token: string): JwtClaims {
  const verified = verifyHs256(token, JWT_SECRET, 0);
  if (!verified.ok) throw new Error(verified.reason);
  return verified.claims;
}
