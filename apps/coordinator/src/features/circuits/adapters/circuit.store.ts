import { WireError, type Circuit } from '@penstock/protocol';

import type { Database, Executor } from '../../../persistence/index.js';
import { refuseBoundUpstream } from '../../lineage/index.js';
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
 * Locks, deletes and returns circuits; an endpoint goes with its circuit. Ids are locked in order, so nobody deadlocks.
 * @throws WireError 409 while other endpoints call one of them
 */
export async function removeCircuits(
  db: Executor,
  where: { readonly id: { in: string[] } } | { readonly endpointId: string },
): Promise<HostedCircuit[]> {
  const found = await db.circuit.findMany({
    where,
    select: { id: true, endpointId: true },
    orderBy: { id: 'asc' },
  });
  const removed: HostedCircuit[] = [];
  for (const { id, endpointId } of found) {
    if (endpointId) await refuseBoundUpstream(db, endpointId);
    await db.$executeRaw`SELECT 1 FROM circuits WHERE id = ${id}::uuid FOR UPDATE`;
    const row = await db.circuit.findUnique({
      where: { id },
      include: { worker: { select: LIVENESS_SUBJECT } },
    });
    if (!row) continue;
    await db.circuit.delete({ where: { id } });
    if (row.endpointId) await db.endpoint.deleteMany({ where: { id: row.endpointId } });
    removed.push({ worker: row.worker, circuit: toCircuit({ ...row, version: row.version + 1 }) });
  }
  return removed;
}
