import type { RedisCircuitStatistics } from '../circuits/index.js';
import type { CircuitAnnouncer, HostedCircuit } from '../propagation/index.js';
import type { UnusedCircuitStore } from './adapters/unused-circuit.store.js';
import type { IdleCircuits } from './domain/idle-circuits.js';

/** Takes interactive circuits away that nobody uses any more, so that their slots are free again. */
export class CollectUnusedService {
  constructor(
    private readonly store: Pick<UnusedCircuitStore, 'all' | 'remove' | 'pruneTokens'>,
    private readonly statistics: Pick<RedisCircuitStatistics, 'lastAccessOf'>,
    private readonly idle: IdleCircuits,
    private readonly announcer: Pick<CircuitAnnouncer, 'removed'>,
  ) {}

  /**
   * @returns what this call removed, which is nothing that another coordinator did
   * @throws Error while use cannot be read; nothing is removed then
   */
  async collect(now: Date): Promise<HostedCircuit[]> {
    const opened = await this.store.all();
    const noted = await this.statistics.lastAccessOf(opened.map(({ id }) => id));
    const watched = opened.map((one) => ({ ...one, lastAccessMs: noted.get(one.id) ?? null }));
    const collected: HostedCircuit[] = [];
    for (const unused of this.idle.among(watched, now.getTime())) {
      const removed = await this.store.remove(unused);
      await this.announcer.removed(removed, { report: false });
      collected.push(...removed);
    }
    await this.store.pruneTokens(now);
    return collected;
  }
}
