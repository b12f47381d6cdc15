import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sanitiseWeight } from './sanitise-weight.js';
import type { EndpointChoice, GroupChoice } from './scope.js';
import { selectReplica } from './select-replica.js';
import { replicaShares } from './shares.js';
import { weightedRandom } from './strategies.js';

type Weight = number | 'NaN' | 'Infinity';

interface FixtureRoute {
  readonly route_id: string;
  readonly replica_group_id: string | null;
  readonly traffic_ratio: Weight;
  readonly healthy?: boolean;
}

interface FixtureCircuit {
  readonly endpoint_id: string;
  readonly replica_groups: readonly { id: string; traffic_weight: Weight; lifecycle: string }[] | null;
  readonly route_info: readonly FixtureRoute[];
}

interface FixtureCase {
  readonly name: string;
  readonly publication: { readonly mappings: readonly { endpoint_id: string; ratio: Weight }[] };
  readonly circuits: readonly FixtureCircuit[];
  readonly expected: {
    readonly available: boolean;
    readonly replica_share: Readonly<Record<string, number>>;
  };
}

const FIXTURE = new URL('../../protocol/fixtures/weights.json', import.meta.url);
const { hierarchical } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { hierarchical: FixtureCase[] };

/** The fixture's circuits as groups; building them from the wire is the snapshot builder's own test. */
function endpointsOf(test: FixtureCase): EndpointChoice<FixtureRoute>[] {
  return test.publication.mappings.flatMap(({ endpoint_id, ratio }) => {
    const circuit = test.circuits.find((candidate) => candidate.endpoint_id === endpoint_id);
    return circuit === undefined ? [] : [{ weight: weight(ratio), groups: groupsOf(circuit) }];
  });
}

function groupsOf(circuit: FixtureCircuit): GroupChoice<FixtureRoute>[] {
  const ids = [...new Set(circuit.route_info.map((route) => route.replica_group_id))];
  return ids.map((id) => {
    const listed = circuit.replica_groups?.find((group) => group.id === id);
    const terminal = listed !== undefined && ['failed', 'drained'].includes(listed.lifecycle);
    return {
      weight: terminal ? 0 : weight(listed?.traffic_weight ?? 100),
      fallbackOnly: id !== null && (circuit.replica_groups ?? []).length > 0 && listed === undefined,
      replicas: circuit.route_info
        .filter((route) => route.replica_group_id === id)
        .map((replica) => ({ replica, weight: weight(replica.traffic_ratio) })),
    };
  });
}

function weight(value: Weight): number {
  return sanitiseWeight(Number(value));
}

const healthy = (route: FixtureRoute): boolean => route.healthy ?? true;

describe('hierarchical shares', () => {
  it.each(hierarchical)('are those of the fixture: $name', (test) => {
    const shares = replicaShares(endpointsOf(test), healthy);
    expect(shares.length > 0).toBe(test.expected.available);
    expect(shares.map(({ replica }) => replica.route_id).sort()).toEqual(
      Object.keys(test.expected.replica_share).sort(),
    );
    for (const { replica, share } of shares) {
      expect(share).toBeCloseTo(test.expected.replica_share[replica.route_id] ?? -1, 8);
    }
  });

  it.each(hierarchical)('are what weighted random selection comes to: $name', (test) => {
    const endpoints = endpointsOf(test);
    let state = 42;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const rounds = 3_000;
    const hits: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      const selected = selectReplica({ endpoints, eligible: healthy, strategy: weightedRandom(), random });
      if (selected !== null)
        hits[selected.replica.route_id] = (hits[selected.replica.route_id] ?? 0) + 1 / rounds;
    }
    expect(Object.keys(hits).sort()).toEqual(Object.keys(test.expected.replica_share).sort());
    for (const [id, share] of Object.entries(test.expected.replica_share)) {
      expect(Math.abs((hits[id] ?? 0) - share)).toBeLessThan(0.03);
    }
  });
});
