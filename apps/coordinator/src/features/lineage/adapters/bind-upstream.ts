import { WireError } from '@penstock/protocol';

import { ADVISORY_LOCKS, lockFor, type Executor } from '../../../persistence/index.js';
import { findCircle } from '../domain/find-circle.js';
import { readAncestors } from './read-lineage.js';

/**
 * Binds an endpoint to the one it calls, or with null to none. Binding what is bound already changes nothing. The end
 * of the transaction keeps or drops it; until then no other binding is decided.
 * @throws WireError 404 either endpoint unknown, 409 itself or a circle
 */
export async function bindUpstream(
  db: Executor,
  endpointId: string,
  upstreamId: string | null,
): Promise<void> {
  if (upstreamId !== null) await refuseUnusable(db, endpointId, upstreamId);
  const { count } = await db.endpoint.updateMany({
    where: { id: endpointId },
    data: { upstreamEndpointId: upstreamId },
  });
  if (count === 0) throw WireError.objectNotFound('endpoint');
}

async function refuseUnusable(db: Executor, endpointId: string, upstreamId: string): Promise<void> {
  if (upstreamId === endpointId) {
    throw WireError.upstreamConflict('An endpoint cannot be its own upstream.');
  }
  // Two bindings that are fine one by one may close a circle together, so they come one after the other.
  await lockFor(db, ADVISORY_LOCKS.lineage);
  // A removal under way is waited for: after it the upstream is gone, or it is refused because of this binding.
  const found = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM endpoints WHERE id = ${upstreamId}::uuid FOR KEY SHARE`;
  if (found.length === 0) throw WireError.objectNotFound('endpoint');
  const circle = findCircle(endpointId, upstreamId, await readAncestors(db, upstreamId));
  if (circle) throw WireError.upstreamConflict(`Upstreams would form a circle: ${circle.join(' -> ')}.`);
}
