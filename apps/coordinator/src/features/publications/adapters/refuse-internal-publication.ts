import { WireError, type Publication } from '@penstock/protocol';

import { ADVISORY_LOCKS, lockFor, type Executor } from '../../../persistence/index.js';

interface PublishedRow {
  readonly endpoint_id: string;
  readonly models: readonly string[];
}

/**
 * An internal endpoint on a public surface would undo its isolation.
 * @throws WireError 400 naming the endpoints
 */
export async function refuseInternalPublication(db: Executor, publication: Publication): Promise<void> {
  const endpointIds = publication.mappings.map((mapping) => mapping.endpoint_id);
  if (endpointIds.length === 0) return;
  // Publishing an endpoint and making it internal are fine one by one, so they come one after the other.
  await lockFor(db, ADVISORY_LOCKS.exposure);
  const internal = await db.circuit.findMany({
    where: { endpointId: { in: endpointIds }, visibility: 'internal' },
    select: { endpointId: true },
    orderBy: { endpointId: 'asc' },
  });
  const found = internal.flatMap(({ endpointId }) => (endpointId ? [endpointId] : []));
  if (found.length > 0) throw WireError.internalPublication(found);
}

/**
 * The other way round: endpoints that are about to be internal must not be published, on any authority.
 * @throws WireError 409 naming the publications of the first that is
 */
export async function refusePublishedInternals(db: Executor, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await lockFor(db, ADVISORY_LOCKS.exposure);
  const [found] = await db.$queryRaw<PublishedRow[]>`
    SELECT mapping.endpoint_id::text AS endpoint_id, array_agg(model_name ORDER BY model_name) AS models
    FROM router_models, jsonb_to_recordset(mappings) AS mapping(endpoint_id uuid)
    WHERE mapping.endpoint_id = ANY(${[...endpointIds]}::uuid[])
    GROUP BY mapping.endpoint_id ORDER BY mapping.endpoint_id LIMIT 1`;
  if (found) throw WireError.endpointPublished(found.endpoint_id, found.models);
}
