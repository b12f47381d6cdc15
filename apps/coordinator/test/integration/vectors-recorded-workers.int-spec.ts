import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeStockWorker } from '../support/fake-stock-worker.js';
import { comparable, recordedSection, replayRecorded, type Ours } from '../support/recorded.js';
import { stockBodies } from '../support/stock-bodies.js';
import { withPlaceholders, type Placeholders } from '../support/vectors.js';

const TMP_WORKER = '7e57ab1e-0000-4000-8000-000000000001';

const NOT_FOUND = recordedSection('workers').find(({ name }) => name === 'worker-not-found')?.body;

/** Where ours differs on purpose. */
const ours: Ours = {
  // A malformed id is the caller's mistake.
  'worker-bad-uuid': ({ status, body }) => {
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_code: 'agent_request_invalid-parameters' });
  },
  // The worker's client has this call, so it is served.
  'token-route-missing': ({ status, body }) => {
    expect(status).toBe(404);
    expect(body.title).toBe('E00002: No such token.');
  },
  // Here there are routers.
  'router-config': { body: NOT_FOUND },
  routers: ({ status, body }) => {
    expect(status).toBe(404);
    expect(body.title).toBe('E00002: No such router.');
  },
  'reg-router': ({ status, body }) => {
    expect(status).toBe(400);
    expect(body.data.errors.map(({ loc }) => loc)).toEqual([['accepted_traffics']]);
  },
  // A status line that clients can read.
  'reg-port-no-range': { status: 400 },
  // The count of nodes has a floor.
  'get-worker-after-two-deletes': ({ status, body }) => {
    expect(status).toBe(200);
    expect(body).toMatchObject({
      authority: expect.stringContaining('tmp-worker'),
      nodes: 0,
      available_slots: 2,
    });
  },
};

const WITH_CIRCUITS = new Set(['slots-w-all', 'v1-slots-in-use']);
const MADE_HERE = { rel: '', circuit_id: '', circuit__created: '', circuit__modified: '' };

describe('worker calls recorded against the coordinator 26.9.6', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let workers: FakeStockWorker[];
  let placeholders: Placeholders;
  const suffix = uniqueAuthority();
  const bodies = stockBodies(suffix);

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const redisUrl = testRedisUrl();
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl });
    workers = [];
    for (const body of [bodies.wildcard, bodies.port]) {
      workers.push(await FakeStockWorker.join(coordinator, { redisUrl, body }));
    }
    placeholders = {
      'http://127.0.0.1:10200': coordinator.url,
      'wildcard-worker': bodies.wildcard.authority,
      'port-worker': bodies.port.authority,
      'tmp-worker': `tmp-worker-${suffix}`,
    };
  });

  afterAll(async () => {
    for (const worker of workers) worker.leave();
    await coordinator.stop();
    await database.drop();
  });

  /** One case and not one each: the calls build on each other. */
  it('are answered as recorded, one after the other', async () => {
    for (const exchange of recordedSection('workers')) {
      const answer = await replayRecorded(coordinator, exchange, { ours, placeholders });
      if (exchange.name === 'reg-string-int')
        placeholders = { ...placeholders, [TMP_WORKER]: answer.body.id };
    }
  });

  it.each(recordedSection('read_outs').filter(({ name }) => !WITH_CIRCUITS.has(name)))(
    'read-out: $name',
    async (exchange) => {
      const own: Ours = {
        health: healthy(['redis', 'database']),
        livez: healthy([]),
        readyz: healthy(['redis', 'database']),
        'health-status-auth': (answer) => {
          const { workers: listed, ...rest } = withPlaceholders(exchange.body, placeholders) as Summary;
          const seen = answer.body as unknown as Summary;
          expect(sorted(seen.workers)).toEqual(sorted(listed));
          expect({ ...seen, workers: [], coordinator_version: '26.9.6' }).toEqual({ ...rest, workers: [] });
        },
        'v1-worker': (answer) => {
          const expected = withPlaceholders(exchange.body, placeholders) as Row[];
          expect(withoutTimes(answer.body)).toEqual(withoutTimes(expected));
        },
      };
      await replayRecorded(coordinator, exchange, { ours: own, placeholders });
    },
  );

  it('read-outs with circuits: slots-w-all, v1-slots-in-use', async () => {
    const created = recordedSection('endpoints').find(({ name }) => name === 'create-bulk-mixed');
    if (created === undefined) throw new Error('no recorded creation');
    await replayRecorded(coordinator, created);
    for (const exchange of recordedSection('read_outs').filter(({ name }) => WITH_CIRCUITS.has(name))) {
      const own: Ours = {
        [exchange.name]: (answer) => {
          expect(answer.status).toBe(exchange.status);
          expectSameSlots(answer.body, exchange.body);
        },
      };
      await replayRecorded(coordinator, exchange, { ours: own, placeholders });
    }
  });

  /** Slots come in no order that is promised. */
  function expectSameSlots(body: unknown, recorded: unknown): void {
    const listOf = (value: unknown) =>
      (Array.isArray(value) ? value : (value as { slots: unknown }).slots) as Row[];
    const plain = (value: unknown) =>
      sorted(listOf(value).map((row) => comparable({ ...row, ...MADE_HERE })));
    expect(plain(body)).toEqual(plain(withPlaceholders(recorded, placeholders)));
  }
});

type Row = Readonly<Record<string, unknown>>;
interface Summary {
  readonly workers: readonly Row[];
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

function withoutTimes(rows: unknown): string[] {
  return sorted((rows as Row[]).map((row) => ({ ...row, created: '', updated: '' })));
}

/** The document of ours: other names of parts are there, the shape is the same. */
function healthy(groups: readonly string[]): Ours[string] {
  return ({ status, body }) => {
    expect(status).toBe(200);
    const { component, connectivity } = body as unknown as {
      component: string;
      connectivity: { overall_healthy: boolean; connectivity_checks: readonly { service_group: string }[] };
    };
    expect(component).toBe('appproxy-coordinator');
    expect(connectivity.overall_healthy).toBe(true);
    const found = connectivity.connectivity_checks.map(({ service_group: group }) => group);
    expect(found).toEqual(expect.arrayContaining([...groups]));
  };
}
