import type { Circuit, ReplicaGroup, RouteInfo } from '@penstock/protocol';
import { sanitiseWeight } from '@penstock/routing';
import type { GroupTarget, ReplicaTarget } from './snapshot.js';

/** Group of routes that name none, as every manager without replica groups sends them. */
export const DEFAULT_GROUP_ID = '__default__';

const DEFAULT_GROUP_WEIGHT = 100;

/**
 * Sorts a circuit's routes into selection scopes. Listed groups come first, in their order, and exist without routes
 * too, so that a status page shows a group that waits for its replicas.
 */
export function buildGroups(circuit: Circuit, endpointId: string): readonly GroupTarget[] {
  const listed = circuit.replica_groups ?? [];
  const routesByGroup = groupRoutes(circuit);
  const listedIds = new Set(listed.map((group) => group.id));
  const unlistedIds = [...routesByGroup.keys()].filter((id) => !listedIds.has(id));
  const toGroup = (groupId: string, weight: number, fallbackOnly: boolean): GroupTarget =>
    Object.freeze({
      key: `${endpointId}/${groupId}`,
      groupId,
      weight,
      fallbackOnly,
      replicas: Object.freeze([...(routesByGroup.get(groupId)?.values() ?? [])]),
    });
  return Object.freeze([
    ...firstOfEachId(listed).map((group) => toGroup(group.id, listedWeight(group), false)),
    ...unlistedIds.map((id) =>
      toGroup(id, DEFAULT_GROUP_WEIGHT, listed.length > 0 && id !== DEFAULT_GROUP_ID),
    ),
  ]);
}

/** The weight decides; a group that is over counts as 0 whatever its weight says. */
function listedWeight(group: ReplicaGroup): number {
  const isOver = group.lifecycle === 'failed' || group.lifecycle === 'drained';
  return isOver ? 0 : sanitiseWeight(group.traffic_weight);
}

function firstOfEachId(groups: readonly ReplicaGroup[]): readonly ReplicaGroup[] {
  return groups.filter((group, index) => groups.findIndex((other) => other.id === group.id) === index);
}

/** A replace call does not remove repeated route ids, so the last one of an id counts, wherever it appears. */
function groupRoutes(circuit: Circuit): ReadonlyMap<string, ReadonlyMap<string, ReplicaTarget>> {
  const lastOfEachId = new Map<string, RouteInfo>();
  for (const route of circuit.route_info) lastOfEachId.set(routeKey(route), route);
  const groups = new Map<string, Map<string, ReplicaTarget>>();
  for (const [id, route] of lastOfEachId) {
    const groupId = route.replica_group_id ?? DEFAULT_GROUP_ID;
    const members = groups.get(groupId) ?? new Map<string, ReplicaTarget>();
    groups.set(groupId, members.set(id, toReplica(id, route)));
  }
  return groups;
}

/** Temporary routes have no id; their address then tells them apart. */
function routeKey(route: RouteInfo): string {
  return route.route_id ?? `${route.kernel_host ?? 'localhost'}:${route.kernel_port}`;
}

function toReplica(routeId: string, route: RouteInfo): ReplicaTarget {
  return Object.freeze({
    routeId,
    host: route.kernel_host ?? 'localhost',
    port: route.kernel_port,
    ratio: sanitiseWeight(route.traffic_ratio ?? 1),
    accelerators: route.accelerators ? Object.freeze({ ...route.accelerators }) : null,
  });
}
