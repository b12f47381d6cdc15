import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { startStockWorker, type StockWorker } from '../stock/stock-worker.ts';
import { chat } from '../support/data-plane.ts';
import { CoordinatorClient, type CreatedEndpoint } from '../support/coordinator-client.ts';
import { entranceOf, existingUrlOf, type Entrance } from '../support/frontends.ts';
import { choosePort } from '../support/ports.ts';
import { freeze, terminate, thaw } from '../support/process-signals.ts';
import { Replica } from '../support/replica.ts';
import { SECRETS } from '../support/secrets.ts';
import { site, type WorkerPlace } from '../support/site.ts';

const LOST_TIMEOUT_MS = 20_000;

/** The tests follow the life of one authority: two nodes serve, fall silent, come back and leave one by one. */
describe('two real nodes of one authority at our coordinator', () => {
  let coordinator: CoordinatorClient;
  let nodes: readonly [WorkerPlace, WorkerPlace];
  let replica: Replica;
  let endpoint: CreatedEndpoint;
  let token: string;
  let joined: StockWorker | undefined;

  beforeAll(async () => {
    coordinator = new CoordinatorClient(site().wildcards);
    nodes = site().wildcards.pair;
    replica = await Replica.start();
    endpoint = await coordinator.createEndpoint(wish('shared'));
    token = await coordinator.mintToken(endpoint.id);
    await coordinator.setRoutes(endpoint.id, [replica.target]);
  });
  afterAll(async () => {
    for (const node of nodes) ignoreGone(() => thaw(node));
    await joined?.stop();
    await replica.stop();
  });

  const wish = (serviceName: string) => ({ serviceName, existingUrl: existingUrlOf(nodes[0], serviceName) });
  const entrances = (): Entrance[] => nodes.map(({ frontend }) => entranceOf(endpoint.url, portOf(frontend)));
  const statuses = async (): Promise<number[]> => {
    const answers = await Promise.all(entrances().map((entrance) => chat(entrance, { token })));
    return answers.map(({ status }) => status);
  };
  const nodeCount = async (): Promise<number | undefined> => (await coordinator.worker('pair'))?.nodes;

  it('share one worker that counts both', async () => {
    expect(await coordinator.worker('pair')).toMatchObject({ frontend_mode: 'wildcard', nodes: 2 });
  });

  it('serve the same endpoint, whichever a client reaches', async () => {
    await eventually(async () => expect(await statuses()).toEqual([200, 200]));
  });

  it('get nothing new while both are silent, and everything again once they are heard', async () => {
    nodes.forEach(freeze);
    await eventually(async () => expect(await placement()).toBe('worker-not-available'), {
      timeoutMs: LOST_TIMEOUT_MS,
    });
    nodes.forEach(thaw);
    await eventually(async () => expect(await placement()).toBe('placed'), { timeoutMs: LOST_TIMEOUT_MS });
    await eventually(async () => expect(await statuses()).toEqual([200, 200]));
  }, 60_000);

  it('stay in service when one node leaves', async () => {
    await terminate(nodes[0]);
    await eventually(async () => expect(await nodeCount()).toBe(1));
    const [, kept] = entrances();
    expect(kept && (await chat(kept, { token })).status).toBe(200);
    expect(await placement()).toBe('placed');
  }, 45_000);

  it('take in a node that pulls what was there before it', async () => {
    const { dir, wildcards } = site();
    const frontend = { mode: 'wildcard' as const, domain: '.pair.localhost', port: await choosePort() };
    const place = { dir, coordinatorUrl: wildcards.url, redisUrl: wildcards.redisUrl, secrets: SECRETS };
    joined = await startStockWorker({ ...place, name: 'pair-late', authority: 'pair', frontend });
    await joined.ready;
    const entrance = entranceOf(endpoint.url, frontend.port);
    await eventually(async () => expect((await chat(entrance, { token })).status).toBe(200));
    expect(await nodeCount()).toBe(2);
  }, 120_000);

  it('are no longer picked when the last node has left', async () => {
    await Promise.all([joined?.stop(), terminate(nodes[1])]);
    await eventually(async () => expect(await nodeCount()).toBe(0));
    expect(await placement()).toBe('worker-not-available');
  }, 45_000);

  /** What becomes of a new endpoint that only this authority may get; it is removed again. */
  async function placement(): Promise<string> {
    const { status, text, id } = await coordinator.tryCreate({ ...wish('next'), authority: 'pair' });
    await coordinator.deleteEndpoint(id);
    if (status === 200) return 'placed';
    return text.includes('appproxy/worker-not-available') ? 'worker-not-available' : `${status} ${text}`;
  }
});

function portOf(frontend: WorkerPlace['frontend']): number {
  return frontend.mode === 'wildcard' ? frontend.port : frontend.firstPort;
}

function ignoreGone(step: () => void): void {
  try {
    step();
  } catch {
    // The process has ended, which is what the last tests do.
  }
}
