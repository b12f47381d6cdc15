import { eventually } from '@penstock/testkit';

import { call, type Answer } from '../../support/http.ts';
import type { Entrance } from './frontends.ts';
import { MODEL } from './replica.ts';

const SERVED_TIMEOUT_MS = 20_000;

export interface ChatOptions {
  readonly token?: string;
  readonly stream?: boolean;
  readonly model?: string;
}

/** One chat completion through a worker. */
export function chat(
  entrance: Entrance,
  { token, stream = false, model = MODEL }: ChatOptions = {},
): Promise<Answer> {
  return call(`${entrance.origin}/v1/chat/completions`, {
    headers: { host: entrance.host, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: { model, stream, messages: [{ role: 'user', content: 'Hello' }] },
  });
}

/** Calls in a loop on several lanes while a test changes something, and remembers what failed. */
export class SteadyCalls {
  readonly failures: string[] = [];
  served = 0;
  readonly #lanes: Promise<void>[];
  #running = true;

  constructor(lanes: number, once: () => Promise<Answer>) {
    this.#lanes = Array.from({ length: lanes }, () => this.#lane(once));
  }

  /** Returns once so many further calls were served. */
  async untilMore(count: number): Promise<void> {
    const goal = this.served + count;
    const check = (): void => {
      if (this.served < goal) throw new Error(`${this.served} of ${goal} calls were served`);
    };
    await eventually(check, { timeoutMs: SERVED_TIMEOUT_MS, intervalMs: 5 });
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#lanes);
  }

  async #lane(once: () => Promise<Answer>): Promise<void> {
    while (this.#running) {
      try {
        const { status, text } = await once();
        if (status === 200) this.served += 1;
        else this.failures.push(`${status} ${text}`);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }
}
