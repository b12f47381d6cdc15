import { toOpenToPublic } from '@penstock/protocol';

import type { Deployment, Replica, ReplicaGroup } from '../../generated/prisma/client.js';
import { addressOf } from '../deployment-rows/index.js';
import { accessOf } from './access-fields.js';

export type DeploymentRow = Deployment & {
  readonly replica_groups: readonly (ReplicaGroup & { readonly replicas: readonly Replica[] })[];
};

/** What every read of a deployment includes, in a stable order. */
export const WITH_REPLICAS = {
  replica_groups: { orderBy: { id: 'asc' }, include: { replicas: { orderBy: { id: 'asc' } } } },
} as const;

export function deploymentView(row: DeploymentRow) {
  const { replica_groups, url: _url, url_visibility: _known, ...deployment } = row;
  const { visibility, requires_token } = accessOf(row);
  return {
    ...deployment,
    open_to_public: toOpenToPublic(visibility, requires_token),
    url: addressOf(row),
    replica_groups: replica_groups.map(groupView),
  };
}
export type DeploymentView = ReturnType<typeof deploymentView>;

export function groupView(row: ReplicaGroup & { readonly replicas: readonly Replica[] }) {
  const { id, name, traffic_weight, lifecycle, created_at, updated_at, replicas } = row;
  return { id, name, traffic_weight, lifecycle, created_at, updated_at, replicas: replicas.map(replicaView) };
}
export type GroupView = ReturnType<typeof groupView>;

export function replicaView(row: Replica) {
  const { id, replica_group_id, host, port, weight, accelerators, created_at, updated_at } = row;
  return { id, replica_group_id, host, port, weight, accelerators, created_at, updated_at };
}
export type ReplicaView = ReturnType<typeof replicaView>;
