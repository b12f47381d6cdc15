import { eventually } from '@penstock/testkit';

import type { ModelFixture } from './model-fixture.ts';
import type { RouterApi } from './router-api.ts';

export interface SteadyClientOptions {
  /** Calls only instances whose readiness was good a moment ago; otherwise every one in turn, whatever it says. */
  readonly followsReadiness: boolean;
  readonly lanes: number;
}

/** Calls the routers of a stack in a loop while a test does something to it, and remembers what failed. */
export class SteadyClient {
  readonly failures: string[] = [];
  served = 0;
  readonly #fixture: ModelFixture;
  readonly #ready = new Map<RouterApi, boolean>();
  readonly #loops: Promise<void>[];
  #running = true;

  constructor(fixture: ModelFixture, { followsReadiness, lanes }: SteadyClientOptions) {
    this.#fixture = fixture;
    const watchers = followsReadiness ? fixture.routers.map((router) => this.#watch(router)) : [];
    if (!followsReadiness) for (const router of fixture.routers) this.#ready.set(router, true);
    this.#loops = [...watchers, ...Array.from({ length: lanes }, () => this.#lane())];
  }

  async untilMore(count: number): Promise<void> {
    const goal = this.served + count;
    await eventually(() => expectAtLeast(this.served, goal), { timeoutMs: 30_000 });
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  async #watch(router: RouterApi): Promise<void> {
    while (this.#running) {
      this.#ready.set(router, (await router.readyStatus()) === 200);
      await pause(100);
    }
  }

  async #lane(): Promise<void> {
    for (let turn = 0; this.#running; turn += 1) {
      const ready = this.#fixture.routers.filter((router) => this.#ready.get(router) === true);
      const router = ready[turn % Math.max(1, ready.length)];
      if (router !== undefined) await this.#once(router);
      await pause(router === undefined ? 20 : 1);
    }
  }

  async #once(router: RouterApi): Promise<void> {
    try {
      const { status, text } = await router.chat(this.#fixture.key, this.#fixture.name);
      if (status === 200) this.served += 1;
      else this.failures.push(`${status} ${text}`);
    } catch (error) {
      this.failures.push(String(error));
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function expectAtLeast(count: number, goal: number): void {
  if (count < goal) throw new Error(`only ${count} of ${goal} calls were served`);
}
