import type { EndpointChoice } from './scope.js';
import { replicaServes, servingGroups, type Eligible } from './serving.js';

/** The part of a model's traffic one replica gets, between 0 and 1. Replicas that get none are left out. */
export interface ReplicaShare<R> {
  readonly replica: R;
  readonly share: number;
}

/**
 * Expected shares under weighted random choice: each level's weights divided by their serving siblings' sum, and only
 * these fractions multiplied, so that an endpoint's share does not depend on how many replicas it has.
 */
export function replicaShares<R>(
  endpoints: readonly EndpointChoice<R>[],
  eligible: Eligible<R>,
): readonly ReplicaShare<R>[] {
  const serving = endpoints
    .filter((endpoint) => endpoint.weight > 0)
    .map((endpoint) => ({ weight: endpoint.weight, groups: servingGroups(endpoint, eligible) }))
    .filter((endpoint) => endpoint.groups.length > 0);
  return fractions(serving).flatMap(({ item: endpoint, fraction: ofModel }) =>
    fractions(endpoint.groups).flatMap(({ item: group, fraction: ofEndpoint }) =>
      fractions(group.replicas.filter((choice) => replicaServes(choice, eligible))).map(
        ({ item, fraction }) => ({ replica: item.replica, share: ofModel * ofEndpoint * fraction }),
      ),
    ),
  );
}

function fractions<T extends { readonly weight: number }>(items: readonly T[]) {
  const total = items.reduce((sum, item) => sum + item.weight, 0);
  return items.map((item) => ({ item, fraction: item.weight / total }));
}
