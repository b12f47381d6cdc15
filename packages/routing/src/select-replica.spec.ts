import { describe, expect, it } from '@jest/globals';
import type { EndpointChoice } from './scope.js';
import { selectReplica } from './select-replica.js';
import { leastInFlight, weightedRandom } from './strategies.js';

interface Replica {
  readonly id: string;
  inFlight: number;
}

function replicaOf(id: string, inFlight = 0): Replica {
  return { id, inFlight };
}

function endpointOf(
  weight: number,
  replicas: readonly Replica[],
  weights: readonly number[] = [],
): EndpointChoice<Replica> {
  const choices = replicas.map((replica, index) => ({ replica, weight: weights[index] ?? 1 }));
  return { weight, groups: [{ weight: 100, fallbackOnly: false, replicas: choices }] };
}

/** Small deterministic generator, so that counts do not vary from run to run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const always = () => true;

describe('selectReplica', () => {
  it('splits by endpoint ratio however many replicas an endpoint has', () => {
    const one = endpointOf(0.7, [replicaOf('a')]);
    const three = endpointOf(
      0.3,
      ['b', 'c', 'd'].map((id) => replicaOf(id)),
    );
    const random = generator(11);
    let first = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const selected = selectReplica({
        endpoints: [one, three],
        eligible: always,
        strategy: weightedRandom(),
        random,
      });
      if (selected?.endpoint === one) first += 1;
    }
    expect(first / 3_000).toBeGreaterThan(0.67);
    expect(first / 3_000).toBeLessThan(0.73);
  });

  it('gives nothing to what is drained, at any level', () => {
    const drained = endpointOf(0, [replicaOf('a')]);
    const emptied = endpointOf(5, [replicaOf('b')], [0]);
    const weightless = { weight: 5, groups: [{ ...endpointOf(1, [replicaOf('c')]).groups[0]!, weight: 0 }] };
    const endpoints = [drained, emptied, weightless];
    expect(
      selectReplica({ endpoints, eligible: always, strategy: weightedRandom<Replica>(), random: () => 0 }),
    ).toBeNull();
  });
});

describe('leastInFlight', () => {
  it('picks the replica with the least load for its weight', () => {
    const replicas = [replicaOf('a', 4), replicaOf('b', 3), replicaOf('c', 5)];
    const endpoints = [endpointOf(1, replicas, [1, 1, 2])];
    const selected = selectReplica({
      endpoints,
      eligible: always,
      strategy: leastInFlight<Replica>(),
      random: () => 0,
    });
    expect(selected?.replica.id).toBe('c');
  });

  it('spreads over equals instead of filling the first', () => {
    const replicas = ['a', 'b', 'c'].map((id) => replicaOf(id));
    const random = generator(5);
    for (let round = 0; round < 300; round += 1) {
      const selected = selectReplica({
        endpoints: [endpointOf(1, replicas)],
        eligible: always,
        strategy: leastInFlight<Replica>(),
        random,
      });
      selected!.replica.inFlight += 1;
    }
    expect(replicas.map((replica) => replica.inFlight)).toEqual([100, 100, 100]);
  });
});
