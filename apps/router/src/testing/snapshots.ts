import { hashKey } from '@penstock/protocol';
import type {
  EndpointTarget,
  GroupTarget,
  KeyEntry,
  ModelRoute,
  ReplicaTarget,
  Snapshot,
} from '../features/snapshot/index.js';
import { ShardedMap } from '../sharded-map.js';

export const KEY = 'sk-test-0123456789abcdefghijklmnopqrstuvwxyzABCDE';

export function keyEntry(overrides: Partial<KeyEntry> = {}): KeyEntry {
  return {
    keyId: 'key-1',
    allowedModels: new Set(['m']),
    unrestricted: false,
    expiresAtMs: null,
    rateLimitPerMinute: null,
    allowsClient: null,
    projectId: null,
    domain: null,
    owner: null,
    attributes: {},
    ...overrides,
  };
}

export function replica(port: number, overrides: Partial<ReplicaTarget> = {}): ReplicaTarget {
  return { routeId: `r${port}`, host: '127.0.0.1', port, ratio: 1, accelerators: null, ...overrides };
}

export function group(replicas: readonly ReplicaTarget[], overrides: Partial<GroupTarget> = {}): GroupTarget {
  return {
    key: 'e1/__default__',
    groupId: '__default__',
    weight: 100,
    fallbackOnly: false,
    replicas,
    ...overrides,
  };
}

export function endpoint(
  replicas: readonly ReplicaTarget[],
  overrides: Partial<EndpointTarget> = {},
): EndpointTarget {
  const endpointId = overrides.endpointId ?? 'e1';
  return {
    endpointId,
    circuitId: `c-${endpointId}`,
    visibility: 'public',
    requiresToken: true,
    label: null,
    servedModel: 'served',
    runtimeVariant: null,
    capabilities: [],
    policy: null,
    allowsClient: null,
    groups: [group(replicas, { key: `${endpointId}/__default__` })],
    ...overrides,
  };
}

export function route(name: string, endpoints: readonly [EndpointTarget, number][]): ModelRoute {
  return {
    name,
    publication: name,
    endpoints: endpoints.map(([target, ratio]) => ({
      endpointId: target.endpointId,
      ratio,
      endpoint: target,
    })),
    policy: null,
  };
}

interface SnapshotParts {
  readonly keys?: readonly (readonly [string, KeyEntry])[];
  readonly routes?: readonly ModelRoute[];
  /** Endpoints with a label: each has a host of the kind its visibility says. */
  readonly hosts?: readonly EndpointTarget[];
  readonly revision?: string;
}

export function snapshot({
  keys = [[KEY, keyEntry()]],
  routes = [],
  hosts = [],
  revision = '1',
}: SnapshotParts): Snapshot {
  const mapped = routes.flatMap((entry) => entry.endpoints.flatMap(({ endpoint: target }) => target ?? []));
  return {
    revision,
    keysByHash: ShardedMap.from(keys.map(([plaintext, entry]) => [hashKey(plaintext), entry])),
    modelsByName: new Map(routes.map((entry) => [entry.name, entry])),
    endpoints: [...new Set([...mapped, ...hosts])],
    publicHosts: byLabel(hosts.filter(({ visibility }) => visibility === 'public')),
    internalHosts: byLabel(hosts.filter(({ visibility }) => visibility === 'internal')),
  };
}

function byLabel(targets: readonly EndpointTarget[]): ReadonlyMap<string, EndpointTarget> {
  return new Map(targets.map((target) => [target.label ?? '', target]));
}
