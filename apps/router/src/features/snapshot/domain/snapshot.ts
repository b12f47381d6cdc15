import type { Visibility } from '@penstock/protocol';
import type { ShardedMap } from '../../../sharded-map.js';

/** One model API key as the request path needs it. `tokenHash` is the map key it is found by. */
export interface KeyEntry {
  readonly keyId: string;
  readonly allowedModels: ReadonlySet<string>;
  /** True only for an empty grant list under `allow_unrestricted_keys`; otherwise an empty list grants nothing. */
  readonly unrestricted: boolean;
  readonly expiresAtMs: number | null;
  /** This process's share of the key's limit (limit / processes), so it may be a fraction; a bucket holds at least 1. */
  readonly rateLimitPerMinute: number | null;
  readonly allowsClient: ((peer: string) => boolean) | null;
  readonly projectId: string | null;
  readonly domain: string | null;
  readonly owner: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One replica, addressed as the circuit wire gives it. */
export interface ReplicaTarget {
  readonly routeId: string;
  readonly host: string;
  readonly port: number;
  /** Sanitised `traffic_ratio`; 0 drains. */
  readonly ratio: number;
  readonly accelerators: { readonly model: string; readonly count: number } | null;
}

/** A selection scope: health and in-flight state belong to it and outlive snapshots, keyed by `key`. */
export interface GroupTarget {
  /** `<endpoint id>/<group id or __default__>`, stable across snapshots. */
  readonly key: string;
  readonly groupId: string;
  /** Sanitised `traffic_weight`, 0 when the lifecycle is terminal; 0 drains. */
  readonly weight: number;
  /**
   * True when routes name this group but the circuit's own list does not: it gets no traffic while any other group
   * of the endpoint serves, so that a stale id neither steals a share nor black-holes the last replica.
   */
  readonly fallbackOnly: boolean;
  readonly replicas: readonly ReplicaTarget[];
}

/** A deployment endpoint that some circuit serves. */
export interface EndpointTarget {
  readonly endpointId: string;
  readonly circuitId: string;
  /** `internal` ones exist on the internal listener and nowhere else, not through a publication either. */
  readonly visibility: Visibility;
  /** False: whoever reaches its host may call it. Means nothing where model keys decide. */
  readonly requiresToken: boolean;
  /** First label of its host, lower-case; null where it has none. */
  readonly label: string | null;
  /** Name the replica expects in the body; null means ask the replica's own `/v1/models`. */
  readonly servedModel: string | null;
  readonly runtimeVariant: string | null;
  readonly capabilities: readonly string[];
  readonly policy: Readonly<Record<string, unknown>> | null;
  readonly allowsClient: ((peer: string) => boolean) | null;
  readonly groups: readonly GroupTarget[];
}

/** `endpoint` is null while the publication waits for its circuit. */
export interface WeightedEndpoint {
  readonly endpointId: string;
  /** Sanitised ratio; 0 drains. */
  readonly ratio: number;
  readonly endpoint: EndpointTarget | null;
}

/** What one public name (primary or alias) routes to. */
export interface ModelRoute {
  readonly name: string;
  readonly publication: string;
  readonly endpoints: readonly WeightedEndpoint[];
  readonly policy: Readonly<Record<string, unknown>> | null;
}

/**
 * Everything a router serves from: whole, frozen, numbered. A request takes one at its start and keeps it. What did not
 * change from one snapshot to the next is the same object in both.
 */
export interface Snapshot {
  readonly revision: string;
  readonly keysByHash: ShardedMap<KeyEntry>;
  readonly modelsByName: ReadonlyMap<string, ModelRoute>;
  /** All of them, whoever may reach them. */
  readonly endpoints: readonly EndpointTarget[];
  /** Public endpoints of a wildcard worker, by label. */
  readonly publicHosts: ReadonlyMap<string, EndpointTarget>;
  /** Internal endpoints of a worker of any mode, by label. */
  readonly internalHosts: ReadonlyMap<string, EndpointTarget>;
}
