import { WireError } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * Lets an endpoint go only when nobody calls it; call it in the transaction that removes the endpoint, before that.
 * @throws WireError 409 naming the downstreams
 */
export async function refuseBoundUpstream(db: Executor, endpointId: string): Promise<void> {
  // Waits for bindings to this endpoint that are not decided yet, and holds off new ones.
  await db.$executeRaw`SELECT 1 FROM endpoints WHERE id = ${endpointId}::uuid FOR UPDATE`;
  const downstreams = await db.endpoint.findMany({
    where: { upstreamEndpointId: endpointId },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  if (downstreams.length > 0) throw WireError.endpointInUse(downstreams.map(({ id }) => id));
}
