import type { Queries } from '../storage/index.js';

interface Found {
  id: string;
}

/** What a deployment calls, what that calls, and so on: nearest first. */
export async function ancestorsOf(db: Queries, id: string): Promise<string[]> {
  const rows = await db.$queryRaw<Found[]>`
    WITH RECURSIVE chain (id, depth) AS (
      SELECT upstream_deployment_id, 1 FROM deployments WHERE id = ${id}::uuid
      UNION ALL
      SELECT d.upstream_deployment_id, c.depth + 1 FROM chain c JOIN deployments d ON d.id = c.id
    ) CYCLE id SET is_cycle USING path
    SELECT id::text FROM chain WHERE id IS NOT NULL AND NOT is_cycle ORDER BY depth`;
  return rows.map((row) => row.id);
}

/** What calls a deployment, what calls that, and so on: nearest first. */
export async function descendantsOf(db: Queries, id: string): Promise<string[]> {
  const rows = await db.$queryRaw<Found[]>`
    WITH RECURSIVE tree (id, depth) AS (
      SELECT id, 1 FROM deployments WHERE upstream_deployment_id = ${id}::uuid
      UNION ALL
      SELECT d.id, t.depth + 1 FROM tree t JOIN deployments d ON d.upstream_deployment_id = t.id
    ) CYCLE id SET is_cycle USING path
    SELECT id::text FROM tree WHERE NOT is_cycle ORDER BY depth, id`;
  return rows.map((row) => row.id);
}
