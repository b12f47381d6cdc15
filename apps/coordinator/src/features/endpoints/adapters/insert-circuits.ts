import { toOpenToPublic, type EndpointItem } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';
import type { Placed } from '../../placement/index.js';
import { accessOf } from '../domain/access-of.js';
import { toHome, type EndpointHome } from './read-homes.js';

/** A new endpoint and the slot its circuit gets. */
export interface Placement extends Placed {
  readonly item: EndpointItem;
}

/**
 * All circuits in one statement over one JSON parameter: with a parameter per value, a manager that comes back and
 * pushes thousands of endpoints would run into the deadline.
 * @returns the circuits by endpoint id
 */
export async function insertCircuits(
  db: Executor,
  placements: readonly Placement[],
): Promise<ReadonlyMap<string, EndpointHome>> {
  const json = JSON.stringify(placements.map(toColumns));
  await db.$executeRaw`
    INSERT INTO circuits (
      id, endpoint_id, worker_id, frontend_mode, port, subdomain, app, protocol, app_mode, open_to_public, visibility,
      requires_token, allowed_client_ips, user_id, runtime_variant, replica_groups, served_model, capabilities, policy,
      session_ids, created_at, updated_at)
    SELECT
      gen_random_uuid(), endpoint_id, worker_id, frontend_mode, port, subdomain, app, 'http', 'inference',
      open_to_public, visibility, requires_token, allowed_client_ips, user_id, runtime_variant, replica_groups,
      served_model, capabilities, policy, '{}', now(), now()
    FROM jsonb_to_recordset(${json}::jsonb) AS item(
      endpoint_id uuid, worker_id uuid, frontend_mode text, port int, subdomain text, app text,
      open_to_public boolean, visibility text, requires_token boolean, allowed_client_ips text, user_id uuid,
      runtime_variant text, replica_groups jsonb, served_model text, capabilities jsonb, policy jsonb)`;
  const workers = new Map(placements.map(({ item, worker }) => [item.deployment_id, worker]));
  const rows = await db.circuit.findMany({ where: { endpointId: { in: [...workers.keys()] } } });
  return new Map(
    rows.flatMap((row) => {
      const worker = workers.get(row.endpointId ?? '');
      return worker && row.endpointId ? [[row.endpointId, toHome(row, worker)]] : [];
    }),
  );
}

function toColumns({ item, worker, port, subdomain }: Placement) {
  const { visibility, requires_token } = accessOf(item);
  return {
    endpoint_id: item.deployment_id,
    worker_id: worker.id,
    frontend_mode: worker.frontendMode,
    port,
    subdomain,
    app: item.service_name,
    open_to_public: toOpenToPublic(visibility, requires_token),
    visibility,
    requires_token,
    allowed_client_ips: item.allowed_client_ips,
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
