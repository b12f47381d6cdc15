import type { WorkerRequest } from '@penstock/protocol';

import { ADVISORY_LOCKS, lockFor, nullableJsonColumn, type Executor } from '../../../persistence/index.js';
import { findColocationConflicts, type ColocationParty, type RegisteredParty } from '../domain/colocation.js';
import { joinAuthority, type Joining, type KnownAuthority } from '../domain/join-authority.js';
import { availableSlots } from '../domain/slots.js';
import type { Worker } from '../domain/worker.js';
import { toWorker } from './worker-row.js';

export type RegistrationOutcome =
  | { readonly kind: 'registered'; readonly worker: Worker }
  | { readonly kind: 'conflict'; readonly conflicts: readonly ColocationParty[] };

/**
 * One transaction that lets a node in, or says who is in its way.
 * @throws WireError 400 a node without an internal frontend joins an authority that hosts internal circuits
 */
export async function registerWorker(db: Executor, request: WorkerRequest): Promise<RegistrationOutcome> {
  // The rule looks at every row, so registrations come one after the other, whichever coordinator they reach.
  await lockFor(db, ADVISORY_LOCKS.registration);
  const conflicts = findColocationConflicts(toParty(request), await readParties(db));
  if (conflicts.length > 0) return { kind: 'conflict', conflicts };
  // Slots and frontends must not change under a circuit that is being placed.
  await lockFor(db, ADVISORY_LOCKS.placement);
  const known = await readKnownAuthority(db, request.authority);
  const joining = joinAuthority(request, known);
  return { kind: 'registered', worker: await upsert(db, request, joining) };
}

/** Every authority as the rule of colocation sees it. */
export async function readParties(db: Executor): Promise<(RegisteredParty & { readonly id: string })[]> {
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

function toParty(request: WorkerRequest): ColocationParty {
  const { authority, frontend_mode, accepted_traffics } = request;
  return { authority, frontendMode: frontend_mode, acceptedTraffics: accepted_traffics };
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
