import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

import type { CollectUnusedService } from './collect-unused.service.js';

/** Collects again and again. Every coordinator does; the row decides which of them takes a circuit. */
export class UnusedCircuitScheduler {
  private readonly rounds: PeriodicRounds;
  private failing = false;

  constructor(
    private readonly collection: CollectUnusedService,
    private readonly logger: Logger,
    intervalMs: number,
  ) {
    this.rounds = new PeriodicRounds(() => this.round(), intervalMs);
  }

  start(): void {
    this.rounds.start();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async round(): Promise<void> {
    try {
      for (const { circuit, worker } of await this.collection.collect(new Date())) {
        const { authority } = worker;
        this.logger.info({ circuit_id: circuit.id, app: circuit.app, authority }, 'unused circuit collected');
      }
      this.failing = false;
    } catch (error) {
      // Once per outage; rounds come every few seconds.
      if (!this.failing) this.logger.warn({ err: error }, 'unused circuits not collected, will try again');
      this.failing = true;
    }
  }
}
