import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

import type { CircuitAnnouncer } from '../propagation/index.js';
import type { RedisLastAccess } from './adapters/redis-last-access.js';
import type { UnusedCircuitStore } from './adapters/unused-circuit.store.js';
import type { IdleCircuits } from './domain/idle-circuits.js';

/**
 * Takes interactive circuits away that nobody uses any more, so that their slots are free again. Every coordinator
 * looks; the row decides which of them collects. While use cannot be read, nothing is.
 */
export class UnusedCircuitScheduler {
  private readonly rounds: PeriodicRounds;
  private failing = false;

  constructor(
    private readonly store: UnusedCircuitStore,
    private readonly lastAccess: RedisLastAccess,
    private readonly idle: IdleCircuits,
    private readonly announcer: CircuitAnnouncer,
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
      await this.collect();
      await this.store.pruneTokens(new Date());
      this.failing = false;
    } catch (error) {
      // Once per outage; rounds come every few seconds.
      if (!this.failing) this.logger.warn({ err: error }, 'unused circuits not collected, will try again');
      this.failing = true;
    }
  }

  private async collect(): Promise<void> {
    const opened = await this.store.all();
    const noted = await this.lastAccess.of(opened.map(({ id }) => id));
    const watched = opened.map((one) => ({ ...one, lastAccessMs: noted.get(one.id) ?? null }));
    for (const unused of this.idle.among(watched, Date.now())) {
      const removed = await this.store.remove(unused);
      await this.announcer.removed(removed, { report: false });
      for (const { circuit, worker } of removed) {
        const { authority } = worker;
        this.logger.info({ circuit_id: circuit.id, app: circuit.app, authority }, 'unused circuit collected');
      }
    }
  }
}
