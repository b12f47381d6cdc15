import type { Logger } from '@penstock/observability';

import { Sweep } from '../../platform/index.js';
import type { AssessLivenessService, PostgresNodeWitness } from '../liveness/index.js';
import type { WorkerStore } from './adapters/worker.store.js';

/**
 * Marks authorities that nobody was heard from as lost, which takes them out of placement and nothing else. Every
 * coordinator does it; the second one finds nothing to do. While liveness is unknown nothing is decided.
 */
export class LostWorkerScheduler {
  private readonly sweep: Sweep;

  constructor(
    private readonly store: WorkerStore,
    private readonly assessment: AssessLivenessService,
    private readonly witness: PostgresNodeWitness,
    private readonly logger: Logger,
    intervalMs: number,
  ) {
    const failure = 'liveness sweep failed, will try again';
    this.sweep = new Sweep(() => this.markSilent(), { logger, intervalMs, failure });
  }

  start(): void {
    this.sweep.start();
  }

  stop(): Promise<void> {
    return this.sweep.stop();
  }

  /** One look at every authority. */
  private async markSilent(): Promise<void> {
    for (const worker of await this.store.all()) {
      if (worker.status !== 'ALIVE') continue;
      const report = await this.assessment.assess(worker);
      if (!report.known || report.status !== 'LOST') continue;
      if (await this.store.markLost(worker.id, worker.updatedAt)) {
        this.logger.warn({ authority: worker.authority }, 'worker lost: heartbeat timeout');
      }
    }
    await this.witness.prune();
  }
}
