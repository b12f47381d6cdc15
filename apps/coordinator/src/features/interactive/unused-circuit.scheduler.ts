import type { Logger } from '@penstock/observability';

import { Sweep } from '../../platform/index.js';
import type { CollectUnusedService } from './collect-unused.service.js';

/** Collects again and again. Every coordinator does; the row decides which of them takes a circuit. */
export class UnusedCircuitScheduler {
  private readonly sweep: Sweep;

  constructor(
    private readonly collection: CollectUnusedService,
    private readonly logger: Logger,
    intervalMs: number,
  ) {
    const failure = 'unused circuits not collected, will try again';
    this.sweep = new Sweep(() => this.collect(), { logger, intervalMs, failure });
  }

  start(): void {
    this.sweep.start();
  }

  stop(): Promise<void> {
    return this.sweep.stop();
  }

  private async collect(): Promise<void> {
    for (const { circuit, worker } of await this.collection.collect(new Date())) {
      const { authority } = worker;
      this.logger.info({ circuit_id: circuit.id, app: circuit.app, authority }, 'unused circuit collected');
    }
  }
}
