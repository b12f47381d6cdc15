import type { Circuit, RouteInfo, RoutesItem } from '@penstock/protocol';

import { sameJson } from '../../../json/same-json.js';
import { jsonColumn, nullableJsonColumn, type Database, type Executor } from '../../../persistence/index.js';
import { LIVENESS_SUBJECT, toCircuit } from '../../circuits/index.js';
import type { RouteUpdate } from '../../propagation/index.js';

/** What a route call says beside the routes. Absent fields stay as they are, null clears. */
export type ServingFields = Pick<RoutesItem, 'replica_groups' | 'served_model' | 'capabilities' | 'policy'>;

export interface RouteChange<R> extends RouteUpdate {
  readonly result: R;
}

/** Rewrites the routes of one endpoint under a lock on its circuit. */
export class RouteStore {
  constructor(private readonly database: Database) {}

  /** @returns null when the endpoint has no circuit */
  change<R extends { readonly routes: RouteInfo[] }>(
    deploymentId: string,
    serving: ServingFields,
    decide: (current: readonly RouteInfo[]) => R,
  ): Promise<RouteChange<R> | null> {
    return this.database.transact(async (db) => {
      await db.$executeRaw`SELECT 1 FROM circuits WHERE endpoint_id = ${deploymentId}::uuid FOR UPDATE`;
      const row = await db.circuit.findUnique({
        where: { endpointId: deploymentId },
        include: { worker: { select: LIVENESS_SUBJECT } },
      });
      if (!row) return null;
      const current = toCircuit(row);
      const result = decide(current.route_info);
      const wanted = { ...current, ...definedFields(serving), route_info: result.routes };
      const changed = !sameJson(content(current), content(wanted));
      const circuit = changed ? await write(db, row.id, wanted) : current;
      return { worker: row.worker, circuit, changed, result };
    });
  }
}

async function write(db: Executor, id: string, wanted: Circuit): Promise<Circuit> {
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
    },
  });
  return toCircuit(row);
}

/** What a route call can change; a call that changes none of it keeps the version. */
function content(circuit: Circuit): unknown {
  const {
    route_info,
    replica_groups = null,
    served_model = null,
    capabilities = null,
    policy = null,
  } = circuit;
  return { route_info, replica_groups, served_model, capabilities, policy };
}

function definedFields(serving: ServingFields): ServingFields {
  const { replica_groups, served_model, capabilities, policy } = serving;
  const fields = { replica_groups, served_model, capabilities, policy };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
