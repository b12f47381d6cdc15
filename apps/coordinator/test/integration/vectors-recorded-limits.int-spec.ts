import { afterEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';

import { recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { replayRecorded } from '../support/recorded.js';

let fleet: RecordedFleet;

afterEach(() => fleet.stop());

describe('a fleet without a free slot', () => {
  it('answers exhaust-3 and exhaust-bulk-atomic as recorded, and keeps nothing of either', async () => {
    fleet = await RecordedFleet.start();
    const port = await fleet.join('port');
    const template = recordedCall('endpoints', 'exhaust-3').request;
    const [item] = (template.body as { endpoints: object[] }).endpoints;
    const fill = (count: number) =>
      fleet.coordinator.call('POST', '/v2/endpoints/bulk', {
        body: {
          endpoints: Array.from({ length: count }, (_, n) => ({ ...item, deployment_id: endpointId(n) })),
        },
      });
    expect((await fill(3)).status).toBe(200);
    // One slot is left: a call for two gets none.
    await replayRecorded(fleet.coordinator, recordedCall('endpoints', 'exhaust-bulk-atomic'));
    expect((await fill(4)).status).toBe(200);
    await replayRecorded(fleet.coordinator, recordedCall('endpoints', 'exhaust-3'));
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${port.workerId}/circuits`);
    const ports = body.circuits.map((circuit) => circuit.port).toSorted();
    expect(ports).toEqual([10501, 10502, 10503, 10504]);
  });

  const endpointId = (n: number) => `a3c1e5d7-2b4f-4a2b-8c3d-00000000ee0${n}`;
});

describe('a worker that does not acknowledge', () => {
  it('fails create-worker-frozen as recorded, and a retry announces what is not acknowledged yet', async () => {
    fleet = await RecordedFleet.start({ ack_timeout_ms: 1_500 });
    const worker = await fleet.join('wildcard');
    const acknowledge = worker.acknowledge;
    worker.acknowledge = () => null;
    const frozen = recordedCall('endpoints', 'create-worker-frozen');
    await replayRecorded(fleet.coordinator, frozen, { placeholders: fleet.names });
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${worker.workerId}/circuits`);
    expect(body.circuits).toHaveLength(2);

    worker.acknowledge = acknowledge;
    const before = worker.heard(EVENT_NAMES.circuitCreated).length;
    await replayRecorded(fleet.coordinator, recordedCall('endpoints', 'create-worker-frozen-retry'));
    const announced = worker
      .heard(EVENT_NAMES.circuitCreated)
      .slice(before)
      .flatMap(({ circuits }) => circuits);
    expect(announced.map(({ subdomain }) => subdomain).toSorted()).toEqual(['frozen', 'frozen2']);
    await replayRecorded(fleet.coordinator, recordedCall('endpoints', 'create-worker-frozen-retry'));
    expect(worker.heard(EVENT_NAMES.circuitCreated)).toHaveLength(before + 2);
  });
});
