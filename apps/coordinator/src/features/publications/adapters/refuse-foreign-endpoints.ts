import { WireError, type Publication } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * An endpoint known to live on another authority can never be served here. One this coordinator has not heard of is
 * fine: publication and circuit may come in either order.
 * @throws WireError 409 naming the endpoint and where it lives
 */
export async function refuseForeignEndpoints(
  db: Executor,
  authority: string,
  publication: Publication,
): Promise<void> {
  const endpointIds = publication.mappings.map((mapping) => mapping.endpoint_id);
  const foreign = await db.circuit.findFirst({
    where: { endpointId: { in: endpointIds }, worker: { authority: { not: authority } } },
    select: { endpointId: true, worker: { select: { authority: true } } },
    orderBy: { endpointId: 'asc' },
  });
  if (foreign?.endpointId)
    throw WireError.endpointAuthorityConflict(foreign.endpointId, foreign.worker.authority);
}
