import type { Logger } from '@penstock/observability';

import type { Database } from '../../../persistence/index.js';
import type { AckJournal } from '../ack-journal.port.js';
import type { CircuitVersion } from '../domain/circuit-outcome.js';

/** {@link AckJournal} in the rows of the circuits. The first ack counts. */
export class PostgresAckJournal implements AckJournal {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** Never fails: what is not remembered is announced once more. */
  async acknowledged(circuits: readonly CircuitVersion[]): Promise<void> {
    if (circuits.length === 0) return;
    const json = JSON.stringify(circuits);
    try {
      await this.database.query(
        (db) => db.$executeRaw`
          UPDATE circuits SET acked_at = now() FROM jsonb_to_recordset(${json}::jsonb) AS acked(id uuid, version int)
          WHERE circuits.id = acked.id AND circuits.version = acked.version AND acked_at IS NULL`,
      );
    } catch (error) {
      this.logger.warn({ err: error, circuits: circuits.length }, 'acknowledged circuits not remembered');
    }
  }
}
