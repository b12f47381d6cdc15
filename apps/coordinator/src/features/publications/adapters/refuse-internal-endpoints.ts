import { WireError, type Publication } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * A published name answers on public listeners, where internal circuits do not exist. One this coordinator has not
 * heard of passes here and is refused when it comes as internal.
 * @throws WireError 400 naming the internal endpoints
 */
export async function refuseInternalEndpoints(db: Executor, publication: Publication): Promise<void> {
  const endpointIds = publication.mappings.map((mapping) => mapping.endpoint_id);
  const internal = await db.circuit.findMany({
    where: { endpointId: { in: endpointIds }, visibility: 'internal' },
    select: { endpointId: true },
    orderBy: { endpointId: 'asc' },
  });
  if (internal.length === 0) return;
  throw WireError.internalPublication(internal.flatMap(({ endpointId }) => endpointId ?? []));
}
