import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import type { EntityRef, PushResult } from '../coordinator-sync/index.js';
import { OutboxStore } from './outbox.store.js';
import { PushEntityService } from './push-entity.service.js';

const TICK_MS = 500;
const BATCH = 200;
const CONCURRENCY = 16;
const PUSH_DEADLINE_MS = 16_000;

/**
 * Pushes what requests could not: entities whose coordinator was away, whose process died after its commit, or that
 * changed as a consequence of another change. Looks at the table on a short timer and whenever it is told to.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #rounds = new PeriodicRounds(() => this.#runRound(), TICK_MS);
  #coordinatorAway = false;

  constructor(
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(PushEntityService) private readonly pusher: PushEntityService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  /** Stops looking; a push that is under way is waited for, its lease covers the rest. */
  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Runs one round now, or joins the one that is running. */
  runOnce(): Promise<void> {
    return this.#rounds.runOnce();
  }

  async #runRound(): Promise<void> {
    try {
      const due = await this.outbox.due(BATCH);
      await this.#pushAll(due);
      this.#report(await this.outbox.countByStatus());
    } catch (error) {
      // The database is away; the rows are in it, and the next round asks again.
      this.logger.debug({ err: error }, 'outbox could not be read');
    }
  }

  async #pushAll(due: readonly EntityRef[]): Promise<void> {
    const queue = [...due];
    const worker = async () => {
      for (let ref = queue.shift(); ref !== undefined && !this.#rounds.isStopped; ref = queue.shift()) {
        await this.#notice(await this.pusher.push(ref, { deadlineMs: PUSH_DEADLINE_MS }));
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, queue.length) }, worker));
  }

  /** The first success after failures means that everything else that waits may go too. */
  async #notice({ propagation }: PushResult): Promise<void> {
    const away = propagation.reason === 'coordinator_unavailable';
    const returned = this.#coordinatorAway && !away;
    this.#coordinatorAway = away;
    if (returned) await this.outbox.wakeAll();
  }

  #report(counts: { pending: number; poisoned: number }): void {
    this.metrics.outboxEntries.set({ status: 'pending' }, counts.pending);
    this.metrics.outboxEntries.set({ status: 'poisoned' }, counts.poisoned);
  }
}
