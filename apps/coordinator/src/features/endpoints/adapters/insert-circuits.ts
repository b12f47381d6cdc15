import type { Circuit, EndpointItem } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';
import { toCircuit } from '../../circuits/index.js';

/** A new endpoint and the router that gets its circuit. */
export interface Placement {
  readonly item: EndpointItem;
  readonly workerId: string;
}

/**
 * All circuits in one statement over one JSON parameter: with a parameter per value, a manager that comes back and
 * pushes thousands of endpoints would run into the deadline.
 * @returns the circuits by endpoint id
 */
export async function insertCircuits(
  db: Executor,
  placements: readonly Placement[],
): Promise<ReadonlyMap<string, Circuit>> {
  if (placements.length === 0) return new Map();
  const json = JSON.stringify(placements.map(toColumns));
  await db.$executeRaw`
    INSERT INTO circuits (
      id, endpoint_id, worker_id, app, protocol, app_mode, frontend_mode, open_to_public, user_id, runtime_variant,
      replica_groups, served_model, capabilities, policy, session_ids, created_at, updated_at)
    SELECT
      gen_random_uuid(), endpoint_id, worker_id, app, 'http', 'inference', 'router', open_to_public, user_id,
      runtime_variant, replica_groups, served_model, capabilities, policy, '{}', now(), now()
    FROM jsonb_to_recordset(${json}::jsonb) AS item(
      endpoint_id uuid, worker_id uuid, app text, open_to_public boolean, user_id uuid, runtime_variant text,
      replica_groups jsonb, served_model text, capabilities jsonb, policy jsonb)`;
  const endpointIds = placements.map(({ item }) => item.deployment_id);
  const rows = await db.circuit.findMany({ where: { endpointId: { in: endpointIds } } });
  return new Map(rows.flatMap((row) => (row.endpointId ? [[row.endpointId, toCircuit(row)]] : [])));
}

function toColumns({ item, workerId }: Placement) {
  return {
    endpoint_id: item.deployment_id,
    worker_id: workerId,
    app: item.service_name,
    open_to_public: item.open_to_public,
    user_id: asUuid(item.tags.session.user_uuid),
    runtime_variant: item.tags.endpoint.runtime_variant,
    replica_groups: item.replica_groups,
    served_model: item.served_model,
    capabilities: item.capabilities,
    policy: item.policy,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tags are free text; only a UUID can be a user id on the wire. */
function asUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}
