import type { EndpointTarget, KeyEntry, Snapshot } from '../index.js';

const PEERS = ['10.1.2.3', '192.0.2.1', '2001:db8::1'];

/** A snapshot as comparable values: keys sorted, and client rules by whom they admit. */
export function plainSnapshot({
  revision,
  keysByHash,
  modelsByName,
  endpoints,
  publicHosts,
  internalHosts,
}: Snapshot) {
  return {
    revision,
    keys: [...keysByHash]
      .map(([hash, key]) => ({ hash, ...admitting(key) }))
      .toSorted((left, right) => (left.hash < right.hash ? -1 : 1)),
    models: [...modelsByName].map(([publicName, route]) => ({
      publicName,
      ...route,
      endpoints: route.endpoints.map(({ endpoint, ...mapped }) => ({
        ...mapped,
        endpoint: endpoint && admitting(endpoint),
      })),
    })),
    endpoints: endpoints.map(admitting),
    hosts: {
      public: [...publicHosts].map(([label, target]) => [label, target.circuitId]),
      internal: [...internalHosts].map(([label, target]) => [label, target.circuitId]),
    },
  };
}

function admitting<Target extends KeyEntry | EndpointTarget>({ allowsClient, ...target }: Target) {
  return { ...target, admits: allowsClient && PEERS.filter(allowsClient) };
}
