import { Prisma } from '../../generated/prisma/client.js';
import type { Queries } from '../storage/index.js';

/** Whose access counts. A user that no longer exists sees nothing. */
export interface Owner {
  readonly isAdmin: boolean;
  readonly projectIds: readonly string[];
}

export const NOBODY: Owner = { isAdmin: false, projectIds: [] };

export async function readOwner(db: Queries, userId: string): Promise<Owner | null> {
  const user = await db.user.findUnique({ where: { id: userId }, include: { memberships: true } });
  if (user === null) return null;
  return { isAdmin: user.is_admin, projectIds: user.memberships.map(({ project_id }) => project_id) };
}

/**
 * Those of `names` that are published on the authority and visible to the owner. Holds their rows until the end of
 * the transaction, so that nobody unpublishes a name between the check and the key that relies on it.
 */
export async function holdGrantable(
  tx: Queries,
  authority: string,
  owner: Owner,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const visible = owner.isAdmin
    ? Prisma.sql`TRUE`
    : Prisma.sql`project_id = ANY(${[...owner.projectIds]}::uuid[])`;
  const rows = await tx.$queryRaw<{ name: string }[]>`
    SELECT name FROM model_publication_names
    WHERE authority = ${authority} AND name = ANY(${[...names]}::text[]) AND ${visible}
    ORDER BY id FOR SHARE`;
  return new Set(rows.map(({ name }) => name));
}
