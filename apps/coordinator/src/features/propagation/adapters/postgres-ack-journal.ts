import type { Logger } from '@penstock/observability';

import type { Database } from '../../../persistence/index.js';
import type { AckJournal } from '../ack-journal.port.js';

/** {@link AckJournal} in the rows of the circuits. The first ack counts. */
export class PostgresAckJournal implements AckJournal {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** Never fails: what is not remembered is announced once more. */
  async acknowledged(circuitIds: readonly string[]): Promise<void> {
    if (circuitIds.length === 0) return;
    const where = { id: { in: [...circuitIds] }, ackedAt: null };
    try {
      await this.database.query((db) => db.circuit.updateMany({ where, data: { ackedAt: new Date() } }));
    } catch (error) {
      this.logger.warn({ err: error, circuits: circuitIds.length }, 'acknowledged circuits not remembered');
    }
  }
}
