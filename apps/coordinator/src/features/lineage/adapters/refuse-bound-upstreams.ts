import { WireError } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * Lets endpoints go only when nobody calls them; call it in the transaction that removes them, before that.
 * @throws WireError 409 naming the downstreams
 */
export async function refuseBoundUpstreams(db: Executor, endpointIds: readonly string[]): Promise<void> {
  // Waits for bindings to these endpoints that are not decided yet, and holds off new ones.
  await db.$executeRaw`
    SELECT 1 FROM endpoints WHERE id = ANY(${[...endpointIds]}::uuid[]) ORDER BY id FOR UPDATE`;
  const downstreams = await db.endpoint.findMany({
    where: { upstreamEndpointId: { in: [...endpointIds] } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  if (downstreams.length > 0) throw WireError.endpointInUse(downstreams.map(({ id }) => id));
}
