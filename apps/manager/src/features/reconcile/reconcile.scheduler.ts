import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import { CoordinatorError } from '../coordinator-sync/index.js';
import { IdempotencyStore } from '../idempotency/index.js';
import { PruneRecordsService } from '../retention/index.js';
import { DesiredStore } from './desired.store.js';
import { RepairDriftService } from './repair-drift.service.js';
import { ShrinkKeysService } from './shrink-keys.service.js';

export const RECONCILE_INTERVAL_MS = Symbol('reconcile interval');

/** One round after the other, each an interval after the last one ended: shrink keys, repair drift, tidy up. */
@Injectable()
export class ReconcileScheduler implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #rounds: PeriodicRounds;

  constructor(
    @Inject(DesiredStore) private readonly desired: DesiredStore,
    @Inject(RepairDriftService) private readonly drift: RepairDriftService,
    @Inject(ShrinkKeysService) private readonly shrink: ShrinkKeysService,
    @Inject(IdempotencyStore) private readonly idempotency: IdempotencyStore,
    @Inject(PruneRecordsService) private readonly retention: PruneRecordsService,
    @Inject(RECONCILE_INTERVAL_MS) intervalMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {
    this.#rounds = new PeriodicRounds(() => this.#runRound(), intervalMs);
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Runs one round now, or joins the one that is running. Never throws. */
  runOnce(): Promise<void> {
    return this.#rounds.runOnce();
  }

  async #runRound(): Promise<void> {
    try {
      await this.shrink.shrinkAll();
      for (const authority of await this.desired.authorities()) await this.#repair(authority);
      await this.idempotency.removeExpired();
      await this.retention.prune();
    } catch (error) {
      this.metrics.reconciles.inc({ outcome: 'failed' });
      this.logger.warn({ err: error }, 'reconciliation failed; the next round tries again');
    }
  }

  /** One authority that cannot be reached must not keep the others from being repaired. */
  async #repair(authority: string): Promise<void> {
    try {
      await this.drift.repair(authority);
      this.metrics.reconciles.inc({ outcome: 'completed' });
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      this.metrics.reconciles.inc({ outcome: 'coordinator_unavailable' });
      this.logger.debug({ authority, reason: error.message }, 'drift could not be looked for');
    }
  }
}
