import { WireError, type Circuit, type RouteInfo, type RoutesItem } from '@penstock/protocol';

import { sameJson } from '../../../json/same-json.js';
import {
  ADVISORY_LOCKS,
  jsonColumn,
  lockFor,
  nullableJsonColumn,
  type Database,
  type Executor,
} from '../../../persistence/index.js';
import { LIVENESS_SUBJECT, toAccess, toCircuit } from '../../circuits/index.js';
import { bindUpstream } from '../../lineage/index.js';
import type { RouteUpdate } from '../../propagation/index.js';
import { admissionOf, applyServing, contentOf, type ServingFields } from '../domain/serving-change.js';
import { moveBetweenFrontends } from './move-between-frontends.js';

export type RouteCallFields = ServingFields & Pick<RoutesItem, 'upstream_endpoint_id'>;

export interface RouteChange<R> extends RouteUpdate {
  readonly result: R;
  /**
   * Nobody acknowledged the circuit as it is now in who may reach it, and where. A route update carries neither, so
   * workers that only hear must be told anew, and again until one of them says so.
   */
  readonly unheard: boolean;
}

/** Rewrites the routes of one endpoint under a lock on its circuit. */
export class RouteStore {
  constructor(private readonly database: Database) {}

  /**
   * @returns null when the endpoint has no circuit
   * @throws WireError 409 published or bound in a circle, 404 upstream unknown, 503 its worker cannot host it so
   */
  change<R extends { readonly routes: RouteInfo[] }>(
    deploymentId: string,
    { upstream_endpoint_id, ...serving }: RouteCallFields,
    decide: (current: readonly RouteInfo[]) => R,
  ): Promise<RouteChange<R> | null> {
    return this.database.transact(async (db) => {
      if (upstream_endpoint_id !== undefined) await bindIfKnown(db, deploymentId, upstream_endpoint_id);
      await db.$executeRaw`SELECT 1 FROM circuits WHERE endpoint_id = ${deploymentId}::uuid FOR UPDATE`;
      const row = await db.circuit.findUnique({
        where: { endpointId: deploymentId },
        include: { worker: { select: LIVENESS_SUBJECT } },
      });
      if (!row) return null;
      const current = toCircuit(row);
      const result = decide(current.route_info);
      const served = applyServing(current, toAccess(row), serving);
      const moved = await moveBetweenFrontends(db, toAccess(row), served);
      const wanted = { ...moved, route_info: result.routes };
      const changed = !sameJson(contentOf(current), contentOf(wanted));
      const admissionChanged = !sameJson(admissionOf(current), admissionOf(wanted));
      const circuit = changed ? await write(db, row.id, wanted, admissionChanged) : current;
      const unheard = admissionChanged || row.ackedAt === null;
      return { worker: row.worker, circuit, changed, unheard, result };
    });
  }
}

/** An endpoint nobody registered is the caller's next finding. */
async function bindIfKnown(db: Executor, deploymentId: string, upstreamId: string | null): Promise<void> {
  // Before any row, as every other caller does.
  await lockFor(db, ADVISORY_LOCKS.lineage);
  if ((await db.endpoint.count({ where: { id: deploymentId } })) > 0)
    await bindUpstream(db, deploymentId, upstreamId);
}

async function write(db: Executor, id: string, wanted: Circuit, admissionChanged: boolean): Promise<Circuit> {
  const row = await db.circuit.update({
    where: { id },
    data: {
      version: { increment: 1 },
      routeInfo: jsonColumn(wanted.route_info),
      replicaGroups: nullableJsonColumn(wanted.replica_groups),
      servedModel: wanted.served_model ?? null,
      capabilities: nullableJsonColumn(wanted.capabilities),
      policy: nullableJsonColumn(wanted.policy),
      updatedAt: new Date(),
      ...(admissionChanged && { ...admissionColumns(wanted), ackedAt: null }),
    },
  });
  return toCircuit(row);
}

function admissionColumns(wanted: Circuit) {
  const { open_to_public, allowed_client_ips, port, subdomain } = wanted;
  const { visibility = 'public', requires_token = !open_to_public } = wanted;
  if (visibility === null || requires_token === null) throw WireError.internalServerError();
  return {
    openToPublic: open_to_public,
    allowedClientIps: allowed_client_ips,
    visibility,
    requiresToken: requires_token,
    port,
    subdomain,
  };
}
