import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

interface SweepOptions {
  readonly logger: Logger;
  readonly intervalMs: number;
  /** What the log says of a round that failed. */
  readonly failure: string;
}

/** Housekeeping again and again. Rounds come every few seconds, so an outage is logged once and not with each of them. */
export class Sweep {
  private readonly rounds: PeriodicRounds;
  private failing = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly options: SweepOptions,
  ) {
    this.rounds = new PeriodicRounds(() => this.round(), options.intervalMs);
  }

  start(): void {
    this.rounds.start();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async round(): Promise<void> {
    try {
      await this.work();
      this.failing = false;
    } catch (error) {
      const { logger, failure } = this.options;
      if (!this.failing) logger.warn({ err: error }, failure);
      this.failing = true;
    }
  }
}
