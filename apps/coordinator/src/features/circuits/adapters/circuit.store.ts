import { WireError, type Circuit } from '@penstock/protocol';

import type { Database, Executor } from '../../../persistence/index.js';
import { lockForRemoval } from '../../lineage/index.js';
import type { HostedCircuit } from '../../propagation/index.js';
import { toCircuit } from '../domain/to-circuit.js';

/** A circuit on a slot of its worker's public frontend. */
export interface SlottedCircuit {
  readonly authority: string;
  readonly circuit: Circuit;
}

/** Reading and removing circuits by id, whatever they belong to. */
export class CircuitStore {
  constructor(private readonly database: Database) {}

  /** All circuits of a worker, oldest first. @throws WireError 404 unknown worker */
  ofWorker(workerId: string): Promise<Circuit[]> {
    return this.database.query(async (db) => {
      const worker = await db.worker.findUnique({
        where: { id: workerId },
        select: { circuits: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
      });
      if (!worker) throw WireError.objectNotFound('worker');
      return worker.circuits.map(toCircuit);
    });
  }

  /** @throws WireError 404 */
  get(circuitId: string): Promise<Circuit> {
    return this.database.query(async (db) => {
      const row = await db.circuit.findUnique({ where: { id: circuitId } });
      if (!row) throw WireError.objectNotFound('circuit');
      return toCircuit(row);
    });
  }

  /** All circuits that hold a port or a label in public, oldest first. */
  slotted(): Promise<SlottedCircuit[]> {
    return this.database.query(async (db) => {
      const rows = await db.circuit.findMany({
        where: { visibility: 'public', frontendMode: { not: 'router' } },
        include: { worker: { select: { authority: true } } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      return rows.map(({ worker, ...row }) => ({ authority: worker.authority, circuit: toCircuit(row) }));
    });
  }

  /** Removes what is there of the named circuits, and returns it with the version the removal counts as. */
  remove(circuitIds: readonly string[]): Promise<HostedCircuit[]> {
    return this.database.transact((db) => removeCircuits(db, { id: { in: [...circuitIds] } }));
  }
}

/** What of a circuit's worker its announcement needs. */
export const LIVENESS_SUBJECT = { id: true, authority: true, legacyNodes: true, frontendMode: true } as const;

/**
 * Locks, deletes and returns circuits; an endpoint goes with its circuit. A few statements however many they are, and
 * rows are locked in the order of their ids, endpoints first, so that callers wait for each other instead of deadlocking.
 * @throws WireError 409 while other endpoints call one of them
 */
export async function removeCircuits(
  db: Executor,
  where: { readonly id: { in: string[] } } | { readonly endpointId: string },
): Promise<HostedCircuit[]> {
  const found = await db.circuit.findMany({ where, select: { id: true, endpointId: true } });
  const ids = found.map(({ id }) => id);
  await lockForRemoval(db, endpointsOf(found));
  await db.$executeRaw`SELECT 1 FROM circuits WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR UPDATE`;
  const rows = await db.circuit.findMany({
    where: { id: { in: ids } },
    include: { worker: { select: LIVENESS_SUBJECT } },
    orderBy: { id: 'asc' },
  });
  // Of those that are still there: a circuit may have gone meanwhile, and its endpoint come back with another.
  await db.$executeRaw`DELETE FROM circuits WHERE id = ANY(${ids}::uuid[])`;
  await db.$executeRaw`DELETE FROM endpoints WHERE id = ANY(${endpointsOf(rows)}::uuid[])`;
  return rows.map(({ worker, ...row }) => ({
    worker,
    circuit: toCircuit({ ...row, version: row.version + 1 }),
  }));
}

function endpointsOf(circuits: readonly { readonly endpointId: string | null }[]): string[] {
  return circuits.flatMap(({ endpointId }) => (endpointId === null ? [] : [endpointId]));
}
