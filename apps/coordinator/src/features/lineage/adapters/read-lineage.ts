import { WireError } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/** Both directions from one endpoint, by id. */
export interface Lineage {
  readonly deployment_id: string;
  readonly upstream: string | null;
  /** Everything it calls, directly or through others, nearest first. */
  readonly ancestors: readonly string[];
  /** Whoever calls it directly. */
  readonly downstreams: readonly string[];
  /** Whoever calls it, directly or through others, nearest first. */
  readonly descendants: readonly string[];
}

interface Relative {
  readonly id: string;
  readonly distance: number;
}

/** @throws WireError 404 */
export async function readLineage(db: Executor, endpointId: string): Promise<Lineage> {
  if ((await db.endpoint.count({ where: { id: endpointId } })) === 0) {
    throw WireError.objectNotFound('endpoint');
  }
  const ancestors = await readAncestors(db, endpointId);
  const descendants = await readDescendants(db, endpointId);
  return {
    deployment_id: endpointId,
    upstream: ancestors[0] ?? null,
    ancestors,
    downstreams: descendants.filter(({ distance }) => distance === 1).map(({ id }) => id),
    descendants: descendants.map(({ id }) => id),
  };
}

/** Everything an endpoint calls, nearest first. */
export async function readAncestors(db: Executor, endpointId: string): Promise<string[]> {
  const rows = await db.$queryRaw<Relative[]>`
    WITH RECURSIVE ancestors(id, distance) AS (
      SELECT upstream_endpoint_id, 1 FROM endpoints
      WHERE id = ${endpointId}::uuid AND upstream_endpoint_id IS NOT NULL
      UNION ALL
      SELECT endpoints.upstream_endpoint_id, distance + 1 FROM endpoints JOIN ancestors USING (id)
      WHERE endpoints.upstream_endpoint_id IS NOT NULL
    ) CYCLE id SET repeated USING way
    SELECT id::text, distance FROM ancestors WHERE NOT repeated ORDER BY distance`;
  return rows.map(({ id }) => id);
}

async function readDescendants(db: Executor, endpointId: string): Promise<Relative[]> {
  return db.$queryRaw<Relative[]>`
    WITH RECURSIVE descendants(id, distance) AS (
      SELECT id, 1 FROM endpoints WHERE upstream_endpoint_id = ${endpointId}::uuid
      UNION ALL
      SELECT endpoints.id, distance + 1 FROM endpoints
      JOIN descendants ON endpoints.upstream_endpoint_id = descendants.id
    ) CYCLE id SET repeated USING way
    SELECT id::text, distance FROM descendants WHERE NOT repeated ORDER BY distance, id`;
}
