import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { chat, SteadyCalls } from './data-plane.ts';
import { CoordinatorClient, type CreatedEndpoint } from './coordinator-client.ts';
import { entranceOf, existingUrlOf, type Entrance } from './frontends.ts';
import { Replica } from './replica.ts';
import type { CoordinatorPlace, WorkerPlace } from './site.ts';

const LANES = 8;
const ROUTE_CHANGES = 30;

/** A coordinator and the worker it is tried with. */
export interface Pair {
  readonly coordinator: Pick<CoordinatorPlace, 'url'>;
  readonly worker: Pick<WorkerPlace, 'authority' | 'frontend'>;
}

/** What a worker answers for an endpoint it does not have: the real ones 400, ours 404. */
export type UnknownEndpoint = 400 | 404;

/** What every pair must do that serves inference, whatever the frontend of the worker. */
export function describeInference(pair: () => Pair, unknown: UnknownEndpoint): void {
  let coordinator: CoordinatorClient;
  let worker: Pair['worker'];
  let replicas: [Replica, Replica];
  let endpoint: CreatedEndpoint;
  let entrance: Entrance;
  let token: string;
  let served = 0;

  beforeAll(async () => {
    const { coordinator: place, worker: own } = pair();
    coordinator = new CoordinatorClient(place);
    worker = own;
    replicas = [await Replica.start(), await Replica.start()];
    endpoint = await coordinator.createEndpoint({
      serviceName: 'interop',
      existingUrl: existingUrlOf(worker, 'interop'),
    });
    entrance = entranceOf(endpoint.url);
    token = await coordinator.mintToken(endpoint.id);
  });
  afterAll(async () => {
    await coordinator.deleteEndpoint(endpoint.id);
    await Promise.all(replicas.map((replica) => replica.stop()));
  });

  it('keeps its row fresh by heartbeats', async () => {
    const before = await coordinator.worker(worker.authority);
    await eventually(async () => {
      const after = await coordinator.worker(worker.authority);
      expect(Date.parse(after?.updated_at ?? '')).toBeGreaterThan(Date.parse(before?.updated_at ?? ''));
    });
  });

  it('has no replica to offer before routes arrive', async () => {
    expect((await chat(entrance, { token })).status).toBe(503);
  });

  it('streams a completion for a token of the coordinator', async () => {
    await coordinator.setRoutes(endpoint.id, [replicas[0].target]);
    await eventually(async () => expect((await chat(entrance, { token })).status).toBe(200));
    const { text } = await chat(entrance, { token, stream: true });
    expect(text).toMatch(/^data: \{[\s\S]+data: \[DONE\]\s*$/);
  });

  it('refuses calls without a token, with that of another endpoint, and with one that ran out', async () => {
    const url = existingUrlOf(worker, 'other', 1);
    const other = await coordinator.createEndpoint({ serviceName: 'other', existingUrl: url });
    const refused = [
      undefined,
      await coordinator.mintToken(other.id),
      await coordinator.mintToken(endpoint.id, -5),
    ];
    for (const bad of refused) {
      const answer = await chat(entrance, bad === undefined ? {} : { token: bad });
      expect(answer.status).toBe(401);
    }
    await coordinator.deleteEndpoint(other.id);
  });

  it('serves an open endpoint without a token', async () => {
    const url = existingUrlOf(worker, 'open', 2);
    const open = await coordinator.createEndpoint({ serviceName: 'open', existingUrl: url, isOpen: true });
    await coordinator.setRoutes(open.id, [replicas[0].target]);
    await eventually(async () => expect((await chat(entranceOf(open.url))).status).toBe(200));
    await coordinator.deleteEndpoint(open.id);
    await eventually(async () => expect((await chat(entranceOf(open.url))).status).toBe(unknown));
  });

  it('follows route updates under load without failing a call', async () => {
    const before = await Promise.all(replicas.map((replica) => replica.calls()));
    const calls = new SteadyCalls(LANES, () => chat(entrance, { token }));
    for (let turn = 0; turn < ROUTE_CHANGES; turn += 1) {
      const [both, one] = [replicas.map(({ target }) => target), turn % 2];
      await coordinator.setRoutes(endpoint.id, turn % 3 === 0 ? both : both.slice(one, one + 1));
      await calls.untilMore(LANES);
    }
    await calls.stop();
    expect(calls.failures).toEqual([]);
    served = calls.served;
    const after = await Promise.all(replicas.map((replica) => replica.calls()));
    expect(after.every((count, index) => count > (before[index] ?? 0))).toBe(true);
  });

  it('finishes a stream whose route was taken away', async () => {
    const slow = await Replica.start({ tokens: 20, interTokenMs: 25 });
    await coordinator.setRoutes(endpoint.id, [slow.target]);
    await eventually(async () => {
      await chat(entrance, { token });
      expect(await slow.calls()).toBeGreaterThan(0);
    });
    const before = await slow.calls();
    const streaming = chat(entrance, { token, stream: true });
    await eventually(async () => expect(await slow.calls()).toBeGreaterThan(before));
    await coordinator.setRoutes(endpoint.id, [replicas[0].target]);
    expect((await streaming).text).toContain('[DONE]');
    await slow.stop();
  });

  it('counts its requests where the coordinator looks for them', async () => {
    const circuit = await coordinator.circuitOf(worker.authority, endpoint.id);
    await eventually(async () => {
      const { requests, last_access } = await coordinator.statistics(circuit);
      expect(requests).toBeGreaterThanOrEqual(served);
      expect(Date.now() - last_access).toBeLessThan(60_000);
    });
  });

  it('loses a replica and regains it', async () => {
    const [lost, kept] = replicas;
    await coordinator.setRoutes(endpoint.id, [lost.target, kept.target]);
    await lost.stop();
    await eventually(async () => expect(await statuses(entrance, token)).toEqual(new Set([200])));
    await lost.startAgain();
    // The manager repeats its routes; the worker looks again at those it was told.
    await eventually(
      async () => {
        await coordinator.setRoutes(endpoint.id, [lost.target, kept.target]);
        await chat(entrance, { token });
        expect(await lost.calls()).toBeGreaterThan(0);
      },
      { timeoutMs: 25_000, intervalMs: 200 },
    );
  }, 60_000);

  it('forgets an endpoint that was deleted', async () => {
    const before = await coordinator.worker(worker.authority);
    await coordinator.deleteEndpoint(endpoint.id);
    await eventually(async () => expect((await chat(entrance, { token })).status).toBe(unknown));
    const after = await coordinator.worker(worker.authority);
    expect(after?.occupied_slots).toBe((before?.occupied_slots ?? 0) - 1);
  });
}

/** What ten calls in a row answer. */
async function statuses(entrance: Entrance, token: string): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let turn = 0; turn < 10; turn += 1) seen.add((await chat(entrance, { token })).status);
  return seen;
}
