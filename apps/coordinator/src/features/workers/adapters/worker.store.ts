import type { WorkerRequest } from '@penstock/protocol';

import { ADVISORY_LOCKS, lockFor, type Database } from '../../../persistence/index.js';
import { findColocationConflicts } from '../domain/colocation.js';
import type { SlotOccupant } from '../domain/slots.js';
import type { Worker } from '../domain/worker.js';
import { readParties, registerWorker, type RegistrationOutcome } from './register-worker.js';
import { toWorker } from './worker-row.js';

/** A worker with the circuits that occupy its slots. */
export interface OccupiedWorker {
  readonly worker: Worker;
  readonly occupants: readonly SlotOccupant[];
}

/** Worker rows, one per authority. */
export class WorkerStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates or overwrites the row of an authority; the id stays.
   * @throws WireError 400 a node without an internal frontend joins an authority that hosts internal circuits
   */
  register(request: WorkerRequest): Promise<RegistrationOutcome> {
    return this.database.transact((db) => registerWorker(db, request));
  }

  /** A heartbeat of any node brings its authority back. Null for an unknown worker. */
  async touch(workerId: string): Promise<Worker | null> {
    const data = { updatedAt: new Date() };
    const [row] = await this.database.query((db) =>
      db.worker.updateManyAndReturn({ where: { id: workerId, status: 'ALIVE' }, data }),
    );
    return row ? toWorker(row) : this.revive(workerId);
  }

  /** One that was lost comes back only where it could register: somebody else may have taken its place meanwhile. */
  private revive(workerId: string): Promise<Worker | null> {
    return this.database.transact(async (db) => {
      await lockFor(db, ADVISORY_LOCKS.registration);
      const parties = await readParties(db);
      const lost = parties.find(({ id }) => id === workerId);
      if (!lost) return null;
      const status = findColocationConflicts(lost, parties).length > 0 ? 'LOST' : 'ALIVE';
      const data = { status, updatedAt: new Date() };
      return toWorker(await db.worker.update({ where: { id: workerId }, data }));
    });
  }

  /** A node without an id beats although none is counted: there is at least this one. */
  async countLegacyNode(workerId: string): Promise<void> {
    const where = { id: workerId, legacyNodes: 0 };
    await this.database.query((db) => db.worker.updateMany({ where, data: { legacyNodes: 1 } }));
  }

  /** One node without an id left. The counter has a floor: a repeated call must not owe nodes. */
  async dropLegacyNode(workerId: string): Promise<void> {
    await this.database.query(
      (db) =>
        db.$executeRaw`UPDATE workers SET legacy_nodes = GREATEST(legacy_nodes - 1, 0) WHERE id = ${workerId}::uuid`,
    );
  }

  /** Marks as lost unless somebody was heard from since `seenAt`. */
  async markLost(workerId: string, seenAt: Date): Promise<boolean> {
    const { count } = await this.database.query((db) =>
      db.worker.updateMany({
        where: { id: workerId, status: 'ALIVE', updatedAt: { lte: seenAt } },
        data: { status: 'LOST' },
      }),
    );
    return count > 0;
  }

  find(workerId: string): Promise<Worker | null> {
    return this.database.query(async (db) => {
      const row = await db.worker.findUnique({ where: { id: workerId } });
      return row ? toWorker(row) : null;
    });
  }

  all(): Promise<Worker[]> {
    return this.database.query(async (db) => {
      const rows = await db.worker.findMany({ orderBy: { authority: 'asc' } });
      return rows.map(toWorker);
    });
  }

  occupied(workerId?: string): Promise<OccupiedWorker[]> {
    return this.database.query(async (db) => {
      const rows = await db.worker.findMany({
        where: workerId === undefined ? {} : { id: workerId },
        include: {
          circuits: {
            // Internal circuits are not on the frontend whose slots these are.
            where: { visibility: 'public' },
            select: { id: true, port: true, subdomain: true },
            orderBy: { createdAt: 'asc' },
          },
        },
        orderBy: { authority: 'asc' },
      });
      return rows.map(({ circuits, ...row }) => ({
        worker: toWorker(row),
        occupants: circuits.map(({ id, port, subdomain }) => ({ circuitId: id, port, subdomain })),
      }));
    });
  }
}
