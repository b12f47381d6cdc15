import type {
  AppMode,
  FrontendMode,
  InternalFrontend,
  ProxyProtocol,
  WorkerRequest,
} from '@penstock/protocol';

import type { Worker as WorkerRow } from '../../../generated/prisma/client.js';
import {
  ADVISORY_LOCKS,
  lockFor,
  nullableJsonColumn,
  type Database,
  type Executor,
} from '../../../persistence/index.js';
import { findColocationConflicts, type ColocationParty, type RegisteredParty } from '../domain/colocation.js';
import { joinAuthority, type Joining, type KnownAuthority } from '../domain/join-authority.js';
import { availableSlots, type SlotOccupant } from '../domain/slots.js';
import type { Worker } from '../domain/worker.js';

export type RegistrationOutcome =
  | { readonly kind: 'registered'; readonly worker: Worker }
  | { readonly kind: 'conflict'; readonly conflicts: readonly ColocationParty[] };

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
    return this.database.transact(async (db) => {
      // The rule looks at every row, so registrations come one after the other, whichever coordinator they reach.
      await lockFor(db, ADVISORY_LOCKS.registration);
      const conflicts = findColocationConflicts(toParty(request), await readParties(db));
      if (conflicts.length > 0) return { kind: 'conflict', conflicts };
      // Slots and frontends must not change under a circuit that is being placed.
      await lockFor(db, ADVISORY_LOCKS.placement);
      const known = await readKnownAuthority(db, request.authority);
      const joining = joinAuthority(request, known);
      return { kind: 'registered', worker: await upsert(db, request, joining) };
    });
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

function toParty(request: WorkerRequest): ColocationParty {
  const { authority, frontend_mode, accepted_traffics } = request;
  return { authority, frontendMode: frontend_mode, acceptedTraffics: accepted_traffics };
}

async function readParties(db: Executor): Promise<(RegisteredParty & { readonly id: string })[]> {
  const rows = await db.worker.findMany({
    include: { _count: { select: { circuits: { where: { appMode: 'inference' } } } } },
    orderBy: { authority: 'asc' },
  });
  return rows.map(({ id, authority, frontendMode, acceptedTraffics, status, _count }) => ({
    id,
    authority,
    frontendMode,
    acceptedTraffics,
    status,
    inferenceCircuits: _count.circuits,
  }));
}

async function readKnownAuthority(db: Executor, authority: string): Promise<KnownAuthority | null> {
  const row = await db.worker.findUnique({
    where: { authority },
    include: { _count: { select: { circuits: { where: { visibility: 'internal' } } } } },
  });
  if (!row) return null;
  const { status, legacyNodes, internalFrontend, _count } = row;
  const hasInternalFrontend = internalFrontend !== null;
  return { status, legacyNodes, hasInternalFrontend, internalCircuits: _count.circuits };
}

async function upsert(db: Executor, request: WorkerRequest, joining: Joining): Promise<Worker> {
  const { authority } = request;
  const columns = {
    ...toColumns(request),
    legacyNodes: joining.legacyNodes,
    internalFrontend: nullableJsonColumn(joining.internalFrontend),
  };
  const row = await db.worker.upsert({
    where: { authority },
    create: { authority, ...columns, createdAt: columns.updatedAt },
    update: columns,
  });
  // App filters are only ever added: another node of the authority may have named others.
  await db.workerAppFilter.createMany({
    data: request.app_filters.map(({ key, value }) => ({
      workerId: row.id,
      propertyName: key,
      propertyValue: value,
    })),
    skipDuplicates: true,
  });
  if (request.frontend_mode === 'router') {
    await db.routerAuthority.createMany({ data: [{ workerAuthority: authority }], skipDuplicates: true });
  }
  return toWorker(row);
}

function toColumns(request: WorkerRequest) {
  const slots = { frontendMode: request.frontend_mode, portRange: request.port_range };
  return {
    ...slots,
    portRange: request.port_range ? [...request.port_range] : [],
    protocol: request.protocol,
    hostname: request.hostname,
    tlsListen: request.tls_listen,
    tlsAdvertised: request.tls_advertised,
    apiPort: request.api_port,
    trafficPort: request.traffic_port,
    wildcardDomain: request.wildcard_domain,
    wildcardTrafficPort: request.wildcard_traffic_port,
    acceptedTraffics: [...request.accepted_traffics],
    filteredAppsOnly: request.filtered_apps_only,
    traefikLastUsedMarkerPath: request.traefik_last_used_marker_path,
    availableSlots: availableSlots(slots),
    status: 'ALIVE',
    updatedAt: new Date(),
  };
}

function toWorker(row: WorkerRow): Worker {
  const [first, last] = row.portRange;
  return {
    ...row,
    frontendMode: row.frontendMode as FrontendMode,
    protocol: row.protocol as ProxyProtocol,
    acceptedTraffics: row.acceptedTraffics as AppMode[],
    portRange: first !== undefined && last !== undefined ? [first, last] : null,
    internalFrontend: row.internalFrontend as InternalFrontend | null,
  };
}
