import {
  type EndpointItem,
  type ReplicaGroup,
  type ReplicaGroupLifecycle,
  type RouteEntry,
  type RoutesItem,
  toOpenToPublic,
  type Visibility,
} from '@penstock/protocol';

/** A deployment with everything below it, as the tables hold it. */
export interface DeploymentState {
  readonly id: string;
  readonly name: string;
  readonly authority: string;
  readonly domain: string;
  readonly project_id: string;
  readonly created_by: string;
  readonly runtime_variant: string;
  readonly served_model: string | null;
  readonly capabilities: readonly string[];
  readonly policy: Readonly<Record<string, unknown>> | null;
  readonly visibility: Visibility;
  readonly requires_token: boolean;
  readonly allowed_client_ips: readonly string[] | null;
  readonly upstream_deployment_id: string | null;
  /** The visibility for which the coordinator last named an address; null when it never did. */
  readonly url_visibility: string | null;
  readonly replica_groups: readonly {
    readonly id: string;
    readonly traffic_weight: number;
    readonly lifecycle: string;
  }[];
  readonly replicas: readonly {
    readonly id: string;
    readonly replica_group_id: string;
    readonly host: string;
    readonly port: number;
    readonly weight: number;
    readonly accelerators: { readonly model: string; readonly count: number } | null;
  }[];
}

/** What creates the endpoint. Calling it again for an endpoint that exists changes nothing. */
export function toEndpointItem(deployment: DeploymentState): EndpointItem {
  return {
    deployment_id: deployment.id,
    version: 'v2',
    service_name: deployment.name,
    tags: {
      session: {
        user_uuid: deployment.created_by,
        project_id: deployment.project_id,
        domain_name: deployment.domain,
      },
      endpoint: { id: deployment.id, runtime_variant: deployment.runtime_variant, existing_url: null },
    },
    open_to_public: toOpenToPublic(deployment.visibility, deployment.requires_token),
    health_check: null,
    authority: deployment.authority,
    ...servingFields(deployment),
  };
}

/** The whole state behind the endpoint; null clears a field, which leaving it out would not. */
export function toRoutesItem(deployment: DeploymentState): RoutesItem {
  return {
    deployment_id: deployment.id,
    routes: deployment.replicas.map(toRoute),
    ...servingFields(deployment),
  };
}

function servingFields(deployment: DeploymentState) {
  return {
    replica_groups: deployment.replica_groups.map(toGroup),
    served_model: deployment.served_model,
    capabilities: [...deployment.capabilities],
    policy: deployment.policy,
    visibility: deployment.visibility,
    requires_token: deployment.requires_token,
    allowed_client_ips: deployment.allowed_client_ips?.join(',') ?? null,
    upstream_endpoint_id: deployment.upstream_deployment_id,
  };
}

function toGroup(group: DeploymentState['replica_groups'][number]): ReplicaGroup {
  return {
    id: group.id,
    traffic_weight: group.traffic_weight,
    lifecycle: group.lifecycle as ReplicaGroupLifecycle,
  };
}

/** A listed replica has no session of a scheduler behind it; its own id stands for it. */
function toRoute(replica: DeploymentState['replicas'][number]): RouteEntry {
  return {
    session_id: replica.id,
    route_id: replica.id,
    kernel_host: replica.host,
    kernel_port: replica.port,
    traffic_ratio: replica.weight,
    replica_group_id: replica.replica_group_id,
    ...(replica.accelerators !== null && { accelerators: replica.accelerators }),
  };
}
