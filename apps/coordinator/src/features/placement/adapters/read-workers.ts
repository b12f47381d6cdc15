import { Prisma } from '../../../generated/prisma/client.js';
import type { Executor } from '../../../persistence/index.js';
import type { TakenSlots } from '../domain/allocate-slot.js';
import type { PlacementWorker } from '../domain/placement-worker.js';

type WorkerRow = Omit<PlacementWorker, 'portRange'> & { readonly portRange: readonly number[] };

/** Every worker that could host something, with what it hosts, in one statement. */
export async function readWorkers(db: Executor): Promise<PlacementWorker[]> {
  const rows = await db.$queryRaw<WorkerRow[]>(workersQuery);
  return rows.map(({ portRange: [first, last], ...row }) => ({
    ...row,
    portRange: first !== undefined && last !== undefined ? [first, last] : null,
  }));
}

const workersQuery = Prisma.sql`
  SELECT
    id::text, authority, legacy_nodes AS "legacyNodes", frontend_mode AS "frontendMode", protocol, hostname,
    tls_listen AS "tlsListen", tls_advertised AS "tlsAdvertised", api_port AS "apiPort",
    traffic_port AS "trafficPort", port_range AS "portRange", wildcard_domain AS "wildcardDomain",
    wildcard_traffic_port AS "wildcardTrafficPort", accepted_traffics AS "acceptedTraffics",
    filtered_apps_only AS "filteredAppsOnly", internal_frontend AS "internalFrontend", status,
    coalesce(filters.list, '[]') AS "appFilters", held.circuits, held.ports AS "takenPorts"
  FROM workers
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('key', property_name, 'value', property_value)) AS list
    FROM worker_app_filters WHERE worker_id = workers.id
  ) AS filters ON true
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS circuits, count(*) FILTER (WHERE port BETWEEN port_range[1] AND port_range[2])::int AS ports
    FROM circuits WHERE worker_id = workers.id
  ) AS held ON true
  ORDER BY authority`;

/** The slots that circuits of one worker hold. */
export async function readTakenSlots(db: Executor, workerId: string): Promise<TakenSlots> {
  const rows = await db.circuit.findMany({
    where: { workerId, OR: [{ port: { not: null } }, { subdomain: { not: null } }] },
    select: { port: true, subdomain: true },
  });
  return {
    ports: new Set(rows.flatMap(({ port }) => (port === null ? [] : [port]))),
    subdomains: new Set(rows.flatMap(({ subdomain }) => (subdomain === null ? [] : [subdomain]))),
  };
}
