import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { Circuit, Publication } from '@penstock/protocol';
import { replicaShares, type EndpointChoice } from '@penstock/routing';
import { circuit, publication, route } from '../testing/wire-builders.js';
import { snapshotInput } from '../testing/snapshot-input.js';
import { buildSnapshot } from './build-snapshot.js';
import type { EndpointTarget, ReplicaTarget } from './snapshot.js';

interface WireRoute {
  readonly route_id: string;
  readonly replica_group_id: string | null;
  readonly traffic_ratio: number | 'NaN';
  readonly healthy: boolean;
}

interface Case {
  readonly name: string;
  readonly publication: { readonly mappings: readonly { endpoint_id: string; ratio: number | 'NaN' }[] };
  readonly circuits: readonly {
    readonly endpoint_id: string;
    readonly replica_groups: Circuit['replica_groups'];
    readonly route_info: readonly WireRoute[];
  }[];
  readonly expected: {
    readonly endpoint_share: Readonly<Record<string, number>>;
    readonly group_share: Readonly<Record<string, number>>;
    readonly replica_share: Readonly<Record<string, number>>;
  };
}

const FIXTURE = new URL('../../../../../../packages/protocol/fixtures/weights.json', import.meta.url);
const { hierarchical } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as {
  readonly hierarchical: readonly Case[];
};

/** JSON cannot say NaN. */
const number = (value: number | 'NaN'): number => (value === 'NaN' ? Number.NaN : value);

const wirePublication = ({ mappings }: Case['publication']): Publication =>
  publication(
    'm',
    {},
    { mappings: mappings.map((mapping) => ({ ...mapping, ratio: number(mapping.ratio) })) },
  );

const wireCircuit = ({ endpoint_id: id, replica_groups, route_info }: Case['circuits'][number]): Circuit =>
  circuit(id, id, {
    replica_groups,
    route_info: route_info.map((entry) =>
      route(entry.route_id, {
        replica_group_id: entry.replica_group_id,
        traffic_ratio: number(entry.traffic_ratio),
      }),
    ),
  });

const choiceOf = (endpoint: EndpointTarget | null, weight: number): EndpointChoice<ReplicaTarget> => ({
  weight,
  groups: (endpoint?.groups ?? []).map(({ replicas, ...group }) => ({
    ...group,
    replicas: replicas.map((replica) => ({ replica, weight: replica.ratio })),
  })),
});

it.each(hierarchical)('wire entities give the agreed shares: $name', (example) => {
  const built = buildSnapshot(
    snapshotInput({
      circuits: example.circuits.map(wireCircuit),
      publications: [wirePublication(example.publication)],
    }),
    { allowUnrestrictedKeys: false, processes: 1 },
  );
  if (built.kind === 'refused') throw new Error(built.reasons.join());
  const endpoints = built.snapshot.modelsByName.get('m')?.endpoints ?? [];
  const health = new Map(example.circuits.flatMap((c) => c.route_info).map((r) => [r.route_id, r.healthy]));
  const shares = replicaShares(
    endpoints.map(({ endpoint, ratio }) => choiceOf(endpoint, ratio)),
    ({ routeId }) => health.get(routeId) ?? false,
  );
  const byReplica = Object.fromEntries(shares.map(({ replica, share }) => [replica.routeId, share]));
  const { replica_share: expected, group_share: expectedGroups } = example.expected;
  expect(Object.keys(byReplica).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [id, share] of Object.entries(expected)) expect(byReplica[id]).toBeCloseTo(share, 8);
  for (const [key, share] of Object.entries(expectedGroups)) {
    const group = built.snapshot.endpoints.flatMap(({ groups }) => groups).find((g) => g.key === key);
    const sum = group?.replicas.reduce((total, { routeId }) => total + (byReplica[routeId] ?? 0), 0);
    expect(sum).toBeCloseTo(share, 8);
  }
});
