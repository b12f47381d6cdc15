import type { Snapshot } from '../snapshot/index.js';
import type { ReplicaRegistry } from './replica-registry.js';

/** One replica as the router sees it now. */
export interface ReplicaView {
  readonly route_id: string;
  readonly address: string;
  readonly healthy: boolean;
  readonly in_flight: number;
  readonly failures: number;
}

/** One selection scope as the router sees it now. */
export interface GroupView {
  readonly endpoint_id: string;
  readonly group_id: string;
  readonly weight: number;
  readonly replicas: readonly ReplicaView[];
}

/** The state of every group a snapshot names, for people and tests. */
export function viewGroups(snapshot: Snapshot, registry: ReplicaRegistry): readonly GroupView[] {
  return snapshot.endpoints.flatMap((endpoint) =>
    endpoint.groups.map((group) => ({
      endpoint_id: endpoint.endpointId,
      group_id: group.groupId,
      weight: group.weight,
      replicas: registry.group(group).replicas.map(({ replica }) => ({
        route_id: replica.routeId,
        address: replica.key,
        healthy: replica.health.healthy,
        in_flight: replica.inFlight,
        failures: replica.health.failures,
      })),
    })),
  );
}
