import type { Database } from '../../../persistence/index.js';
import { removeCircuits } from '../../circuits/index.js';
import type { HostedCircuit } from '../../propagation/index.js';

/** An interactive circuit and when somebody was last sent to it. */
export interface OpenedCircuit {
  readonly id: string;
  readonly openedAt: Date;
}

/** A token admits to a session's apps; by then the session is long gone, and managers make a new one each time. */
const TOKEN_RETENTION_MS = 30 * 24 * 3_600_000;

/** What the collector looks at and takes away. */
export class UnusedCircuitStore {
  constructor(private readonly database: Database) {}

  /** Those whose use is noted by their workers: HTTP only. */
  async all(): Promise<OpenedCircuit[]> {
    const rows = await this.database.query((db) =>
      db.circuit.findMany({
        where: { appMode: 'interactive', protocol: 'http' },
        select: { id: true, updatedAt: true },
      }),
    );
    return rows.map(({ id, updatedAt }) => ({ id, openedAt: updatedAt }));
  }

  /** @returns nothing when another coordinator was quicker, or somebody was sent there meanwhile */
  remove({ id, openedAt }: OpenedCircuit): Promise<HostedCircuit[]> {
    return this.database.transact(async (db) => {
      const unchanged = await db.$queryRaw<unknown[]>`
        SELECT 1 FROM circuits WHERE id = ${id}::uuid AND updated_at = ${openedAt} FOR UPDATE`;
      return unchanged.length === 0 ? [] : removeCircuits(db, { id: { in: [id] } });
    });
  }

  async pruneTokens(now: Date): Promise<void> {
    const before = new Date(now.getTime() - TOKEN_RETENTION_MS);
    await this.database.query((db) => db.token.deleteMany({ where: { createdAt: { lt: before } } }));
  }
}
