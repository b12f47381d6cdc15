import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Circuit, Publication } from '@penstock/protocol';
import { buildSnapshot, type Snapshot, type SnapshotBuild } from '../snapshot/index.js';
import { snapshotInput } from '../snapshot/testing/snapshot-input.js';
import { circuit, publication, route } from '../snapshot/testing/wire-builders.js';
import { ReplicaRegistry, type RoutePlan } from './replica-registry.js';

const RULES = { allowUnrestrictedKeys: false, processes: 1 };
const CIRCUITS = [circuit('c1', 'A'), circuit('c2', 'B')];
const PUBLICATIONS = [publication('m', { A: 1 }), publication('n', { B: 1 })];

let registry: ReplicaRegistry;
let build: SnapshotBuild | null;

beforeEach(() => {
  registry = new ReplicaRegistry();
  build = null;
});

/** The next snapshot of a router, as changes build it: on the one before. */
function next(circuits: readonly Circuit[], publications: readonly Publication[] = PUBLICATIONS): Snapshot {
  const result = buildSnapshot(snapshotInput({ circuits, publications }), RULES, build);
  if (result.kind === 'refused') throw new Error(result.reasons.join());
  build = result;
  registry.retain(result.snapshot);
  return result.snapshot;
}

function plan(snapshot: Snapshot, name: string): RoutePlan {
  const found = snapshot.modelsByName.get(name);
  if (!found) throw new Error(`no route ${name}`);
  return registry.plan(found);
}

const replicas = ({ endpoints }: RoutePlan) =>
  endpoints.flatMap(({ groups }) => groups.flatMap((group) => group.replicas.map(({ replica }) => replica)));

describe('plans over snapshots', () => {
  it('stay for names that a change does not reach', () => {
    const before = next(CIRCUITS);
    const plans = [plan(before, 'm'), plan(before, 'n')];
    const changed = circuit('c2', 'B', { route_info: [route('c2-r1'), route('new')] });
    const after = next([CIRCUITS[0] as Circuit, changed]);
    expect(plan(after, 'm')).toBe(plans[0]);
    expect(plan(after, 'n')).not.toBe(plans[1]);
    expect(replicas(plan(after, 'n')).map(({ routeId }) => routeId)).toEqual(['c2-r1', 'new']);
  });

  it('keep what is known of a replica while its circuit changes around it', () => {
    const [known] = replicas(plan(next(CIRCUITS), 'm'));
    const changed = circuit('c1', 'A', { served_model: 'other' });
    expect(replicas(plan(next([changed]), 'm'))[0]).toBe(known);
  });

  it('start anew for a replica that was away', () => {
    const first = next(CIRCUITS);
    const [known] = replicas(plan(first, 'm'));
    expect(replicas(plan(next([]), 'm'))).toEqual([]);
    const again = replicas(plan(next(CIRCUITS), 'm'));
    expect(again).toHaveLength(1);
    expect(again[0]).not.toBe(known);
  });

  it('share a replica between names, also when one of them is built later', () => {
    const before = next(CIRCUITS);
    const [known] = replicas(plan(before, 'm'));
    const after = next(CIRCUITS, [...PUBLICATIONS, publication('x', { A: 1, B: 1 })]);
    expect(replicas(plan(after, 'x'))[0]).toBe(known);
    expect(plan(after, 'm')).toBe(plan(before, 'm'));
  });
});
