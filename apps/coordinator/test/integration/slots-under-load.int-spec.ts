import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import type { Answer } from '../support/answer.js';
import { CoordinatorProcess } from '../support/coordinator-process.js';
import { endpointItem } from '../support/endpoint-item.js';
import { FakeStockWorker } from '../support/fake-stock-worker.js';
import { stockBodies } from '../support/stock-bodies.js';

const CALLS = 200;
const [FIRST, LAST] = [20_001, 20_150];
const PORTS = LAST - FIRST + 1;

describe('three coordinator processes on one database, one port worker', () => {
  let database: TestDatabase;
  let coordinators: CoordinatorProcess[];
  let worker: FakeStockWorker;
  const authority = uniqueAuthority();
  const bodies = stockBodies(uniqueAuthority());

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = { databaseUrl: database.url, redisUrl: testRedisUrl() };
    coordinators = await Promise.all([1, 2, 3].map(() => CoordinatorProcess.start(settings)));
    const [first] = coordinators as [CoordinatorProcess];
    worker = await FakeStockWorker.join(first, {
      redisUrl: testRedisUrl(),
      body: { ...bodies.port, authority, port_range: [FIRST, LAST] },
    });
  });

  afterAll(async () => {
    worker.leave();
    await Promise.all(coordinators.map((each) => each.stop()));
    await database.drop();
  });

  const some = (n: number): CoordinatorProcess => coordinators[n % 3] as CoordinatorProcess;

  /** All at once, turn and turn about, one endpoint per call. */
  async function createMany(count: number) {
    const items = Array.from({ length: count }, () => endpointItem());
    const answers = await Promise.all(
      items.map((item, n) => some(n).call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } })),
    );
    return answers.map((answer, n) => ({ answer, id: items[n]?.deployment_id ?? '' }));
  }

  const portOf = ({ body }: Answer) =>
    Number(new URL((body.endpoints[0] as unknown as { readonly url: string }).url).port);

  async function portsInUse(): Promise<number> {
    const { body } = await some(0).call('GET', `/api/slots?wsproxy_host=${authority}`);
    return (body as unknown as { readonly slots: unknown[] }).slots.length;
  }

  it('give each port once, refuse the rest, and leave nothing behind', async () => {
    const outcomes = await createMany(CALLS);
    const served = outcomes.filter(({ answer }) => answer.status === 200);
    const refused = outcomes.filter(({ answer }) => answer.status !== 200);
    expect(new Set(refused.map(({ answer }) => JSON.stringify([answer.status, answer.body])))).toEqual(
      new Set([
        JSON.stringify([
          503,
          {
            type: 'https://api.backend.ai/probs/appproxy/worker-not-available',
            title: 'Worker not available.',
            error_code: 'agent_access_not-found',
          },
        ]),
      ]),
    );
    const ports = served.map(({ answer }) => portOf(answer)).sort((a, b) => a - b);
    expect(ports).toEqual(Array.from({ length: PORTS }, (_none, n) => FIRST + n));
    expect(refused).toHaveLength(CALLS - PORTS);
    expect(await portsInUse()).toBe(PORTS);

    const body = { endpoints: served.map(({ id }) => ({ deployment_id: id })) };
    expect((await some(1).call('DELETE', '/v2/endpoints/bulk', { body })).status).toBe(200);
    expect(await portsInUse()).toBe(0);
    const again = await createMany(PORTS);
    expect(new Set(again.map(({ answer }) => answer.status))).toEqual(new Set([200]));
    expect(new Set(again.map(({ answer }) => portOf(answer))).size).toBe(PORTS);
  });

  it('keep nothing of a bulk call that does not fit', async () => {
    const [taken] = (await some(0).call('GET', `/api/worker/${worker.workerId}/circuits`)).body.circuits;
    await some(0).call('DELETE', `/api/circuit/${taken?.id}`);
    const body = { endpoints: [endpointItem(), endpointItem()] };
    const answer = await some(2).call('POST', '/v2/endpoints/bulk', { body });
    expect(answer).toMatchObject({ status: 503, body: { title: 'Worker not available.' } });
    expect(await portsInUse()).toBe(PORTS - 1);
  });

  it('count the nodes of an authority right when they register all at once', async () => {
    const body = bodies.wildcard;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_none, n) => some(n).call('PUT', '/api/worker', { body })),
    );
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
    expect(Math.max(...answers.map(({ body: { nodes } }) => nodes))).toBe(12);
  });
});
