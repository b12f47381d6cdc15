import { WireError } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * Holds endpoints that are about to go until the transaction ends; they may only when nobody calls them.
 * @returns those that are there; one that is not may come the next moment, and is not this transaction's to remove
 * @throws WireError 409 naming the downstreams
 */
export async function lockForRemoval(db: Executor, endpointIds: readonly string[]): Promise<string[]> {
  // Waits for bindings to these endpoints that are not decided yet, and holds off new ones.
  const locked = await db.$queryRaw<{ readonly id: string }[]>`
    SELECT id::text FROM endpoints WHERE id = ANY(${[...endpointIds]}::uuid[]) ORDER BY id FOR UPDATE`;
  const ids = locked.map(({ id }) => id);
  const downstreams = await db.endpoint.findMany({
    where: { upstreamEndpointId: { in: ids } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  if (downstreams.length > 0) throw WireError.endpointInUse(downstreams.map(({ id }) => id));
  return ids;
}
