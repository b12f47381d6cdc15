import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { CoordinatorClient } from './coordinator-client.ts';
import { existingUrlOf } from './frontends.ts';
import { freeze, terminate, thaw } from './process-signals.ts';
import type { CoordinatorPlace, WorkerPlace } from './site.ts';

const TIMEOUT_MS = 20_000;
/** No other suite of the worker uses this port of its range. */
const SLOT = 6;

export interface Mortal {
  readonly coordinator: Pick<CoordinatorPlace, 'url'>;
  readonly worker: WorkerPlace;
}

/** How the only node of a real worker for inference is lost, found again and gone. It has ended afterwards. */
export function describeLife(mortal: () => Mortal): void {
  let coordinator: CoordinatorClient;
  let worker: WorkerPlace;

  beforeAll(() => {
    coordinator = new CoordinatorClient(mortal().coordinator);
    worker = mortal().worker;
  });
  afterAll(() => {
    try {
      thaw(worker);
    } catch {
      // It has ended, which is what the last test does.
    }
  });

  it('is given nothing while it is silent, and something again once it is heard', async () => {
    freeze(worker);
    await eventually(async () => expect(await placement()).toBe('worker-not-available'), {
      timeoutMs: TIMEOUT_MS,
    });
    thaw(worker);
    await eventually(async () => expect(await placement()).toBe('placed'), { timeoutMs: TIMEOUT_MS });
  }, 60_000);

  it('leaves when it is stopped', () => expectToLeave(coordinator, worker), 45_000);

  /** What becomes of a new endpoint that only this worker may get; it is removed again. */
  async function placement(): Promise<string> {
    const existingUrl = existingUrlOf(worker, 'life', SLOT);
    const wish = { serviceName: 'life', existingUrl, authority: worker.authority };
    const { status, text, id } = await coordinator.tryCreate(wish);
    await coordinator.deleteEndpoint(id);
    if (status === 200) return 'placed';
    return text.includes('appproxy/worker-not-available') ? 'worker-not-available' : `${status} ${text}`;
  }
}

/** Stops a real worker, which says so: nothing waits for its heartbeat to run out. */
export async function expectToLeave(coordinator: CoordinatorClient, worker: WorkerPlace): Promise<void> {
  await terminate(worker);
  expect(await coordinator.worker(worker.authority)).toMatchObject({ nodes: 0 });
}
