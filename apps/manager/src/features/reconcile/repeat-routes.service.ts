import { Inject, Injectable } from '@nestjs/common';

import type { EntityRef } from '../coordinator-sync/index.js';
import { OutboxRelay, OutboxStore } from '../outbox/index.js';

export const ROUTE_REPEAT_INTERVAL_MS = Symbol('route repeat interval');

/**
 * Only routers pull again and again. Any other worker pulls when it starts, so an event that it missed stays missed,
 * and no comparison with the coordinator shows it. Pushing the routes once more does: the coordinator announces even
 * what changes nothing.
 */
@Injectable()
export class RepeatRoutesService {
  /** By authority. Of this process only: several managers repeat more often, which harms nobody. */
  readonly #repeatedAtMs = new Map<string, number>();

  constructor(
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    @Inject(ROUTE_REPEAT_INTERVAL_MS) private readonly intervalMs: number,
  ) {}

  /**
   * Marks the deployments for the relay, when the last time was an interval ago. They go the way of every push, so
   * that a repetition never overtakes a change.
   */
  async repeat(authority: string, deployments: readonly EntityRef[]): Promise<void> {
    const now = performance.now();
    const before = this.#repeatedAtMs.get(authority);
    if (before !== undefined && now - before < this.intervalMs) return;
    this.#repeatedAtMs.set(authority, now);
    for (const ref of deployments) await this.outbox.markAgain(ref);
    if (deployments.length > 0) await this.relay.runOnce();
  }
}
