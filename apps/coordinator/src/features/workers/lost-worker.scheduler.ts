import type { Logger } from '@penstock/observability';

import type { AssessLivenessService, PostgresNodeWitness } from '../liveness/index.js';
import type { WorkerStore } from './adapters/worker.store.js';

/**
 * Marks authorities that nobody was heard from as lost, which takes them out of placement and nothing else. Every
 * coordinator does it; the second one finds nothing to do. While liveness is unknown nothing is decided.
 */
export class LostWorkerScheduler {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private failing = false;

  constructor(
    private readonly store: WorkerStore,
    private readonly assessment: AssessLivenessService,
    private readonly witness: PostgresNodeWitness,
    private readonly logger: Logger,
    private readonly intervalMs: number,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.tick();
    }, this.intervalMs);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One look at every authority. */
  async sweep(): Promise<void> {
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

  private async tick(): Promise<void> {
    try {
      await this.sweep();
      this.failing = false;
    } catch (error) {
      // Once per outage; sweeps come every few seconds.
      if (!this.failing) this.logger.warn({ err: error }, 'liveness sweep failed, will try again');
      this.failing = true;
    } finally {
      if (!this.stopped) this.start();
    }
  }
}
