import type { Executor } from '../../../persistence/index.js';
import type { RouterAddress } from '../domain/endpoint-url.js';
import type { PlacementCandidate } from '../domain/place-endpoint.js';

/** A router authority as placement sees it. The count moves while a bulk call places its items. */
export interface PlacementRouter extends PlacementCandidate, RouterAddress {
  readonly id: string;
  readonly legacyNodes: number;
  circuits: number;
}

export async function readPlacementRouters(db: Executor): Promise<PlacementRouter[]> {
  const rows = await db.worker.findMany({
    where: { frontendMode: 'router' },
    include: { appFilters: true, _count: { select: { circuits: true } } },
    orderBy: { authority: 'asc' },
  });
  return rows.map(({ appFilters, _count, ...worker }) => ({
    ...worker,
    appFilters: appFilters.map((filter) => ({ key: filter.propertyName, value: filter.propertyValue })),
    circuits: _count.circuits,
  }));
}
