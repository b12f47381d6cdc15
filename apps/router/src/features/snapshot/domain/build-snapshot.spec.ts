import { describe, expect, it } from '@jest/globals';
import { apiKey, circuit, group, publication, route } from '../testing/wire-builders.js';
import { snapshotInput } from '../testing/snapshot-input.js';
import { buildSnapshot } from './build-snapshot.js';
import type { Snapshot } from './snapshot.js';

type Lists = Parameters<typeof snapshotInput>[0];

const RULES = { allowUnrestrictedKeys: false, processes: 1 };

function build(input: Lists, rules = RULES): Snapshot {
  const built = buildSnapshot(snapshotInput(input), rules);
  if (built.kind === 'refused') throw new Error(built.reasons.join('; '));
  return built.snapshot;
}

function reasons(input: Lists): readonly string[] {
  const built = buildSnapshot(snapshotInput(input), RULES);
  return built.kind === 'refused' ? built.reasons : [];
}

describe('names', () => {
  it('resolves the primary name and every alias to the same endpoints', () => {
    const snapshot = build({
      circuits: [circuit('c1', 'A')],
      publications: [publication('m', { A: 1 }, { aliases: ['m-latest', 'm'] })],
    });
    expect([...snapshot.modelsByName.keys()]).toEqual(['m', 'm-latest']);
    expect(snapshot.modelsByName.get('m-latest')?.endpoints[0]?.endpoint?.circuitId).toBe('c1');
    expect(snapshot.modelsByName.get('m-latest')?.publication).toBe('m');
  });

  it('keeps a publication whose circuit has not come yet, and one without mappings', () => {
    const snapshot = build({ publications: [publication('m', { A: 1 }), publication('empty')] });
    expect(snapshot.modelsByName.get('m')?.endpoints).toEqual([
      { endpointId: 'A', ratio: 1, endpoint: null },
    ]);
    expect(snapshot.modelsByName.get('empty')?.endpoints).toEqual([]);
  });

  it('refuses a name that two publications claim', () => {
    expect(reasons({ publications: [publication('a'), publication('b', {}, { aliases: ['a'] })] })).toEqual([
      'name "a" is claimed by "a" and "b"',
    ]);
  });

  it('turns ratios that are no finite positive number into 0, and adds up a repeated endpoint', () => {
    const mappings = [
      { endpoint_id: 'A', ratio: Number.NaN },
      { endpoint_id: 'B', ratio: -1 },
      { endpoint_id: 'C', ratio: 1 },
      { endpoint_id: 'C', ratio: 2 },
    ];
    const snapshot = build({ publications: [publication('m', {}, { mappings })] });
    expect(snapshot.modelsByName.get('m')?.endpoints.map(({ ratio }) => ratio)).toEqual([0, 0, 3]);
  });
});

describe('endpoints', () => {
  it('leaves out circuits that serve no inference endpoint', () => {
    const snapshot = build({
      circuits: [circuit('c1', 'A', { app_mode: 'interactive' }), circuit('c2', 'B', { endpoint_id: null })],
    });
    expect(snapshot.endpoints).toEqual([]);
  });

  it('takes the younger of two circuits of one endpoint', () => {
    const younger = circuit('c2', 'A', { created_at: '2026-02-01T00:00:00Z' });
    expect(build({ circuits: [younger, circuit('c1', 'A')] }).endpoints.map((e) => e.circuitId)).toEqual([
      'c2',
    ]);
  });

  it('admits everyone where no client list is set, and only the listed where one is', () => {
    const [open, closed] = build({
      circuits: [circuit('c1', 'A'), circuit('c2', 'B', { allowed_client_ips: '10.0.0.0/8' })],
    }).endpoints;
    expect(open?.allowsClient).toBeNull();
    expect(closed?.allowsClient?.('10.1.2.3')).toBe(true);
    expect(closed?.allowsClient?.('192.0.2.1')).toBe(false);
  });
});

describe('replica groups', () => {
  const groupsOf = (over: Parameters<typeof circuit>[2]) =>
    build({ circuits: [circuit('c', 'A', over)] }).endpoints[0]?.groups ?? [];

  it('puts routes without a group into a default one of weight 100', () => {
    expect(groupsOf({})).toMatchObject([{ key: 'A/__default__', weight: 100, fallbackOnly: false }]);
  });

  it('makes one group of weight 100 per id when no list is given', () => {
    const route_info = ['g1', 'g2'].map((id) => route(id, { replica_group_id: id }));
    expect(groupsOf({ route_info }).map(({ groupId, weight }) => [groupId, weight])).toEqual([
      ['g1', 100],
      ['g2', 100],
    ]);
  });

  it('marks a group the list does not name as fallback only', () => {
    const route_info = [route('r1', { replica_group_id: 'g1' }), route('r2', { replica_group_id: 'gX' })];
    expect(groupsOf({ route_info, replica_groups: [group('g1', 50)] })).toMatchObject([
      { groupId: 'g1', weight: 50, fallbackOnly: false },
      { groupId: 'gX', weight: 100, fallbackOnly: true },
    ]);
  });

  it('lets the weight decide over the lifecycle, except for groups that are over', () => {
    const replica_groups = [
      group('draining', 30, 'draining'),
      group('failed', 30, 'failed'),
      group('drained', 30, 'drained'),
    ];
    expect(groupsOf({ replica_groups, route_info: [] }).map(({ weight }) => weight)).toEqual([30, 0, 0]);
  });

  it('keeps the last of two routes with one id, and tells routes without id apart by address', () => {
    const route_info = [
      route('r1', { kernel_port: 1 }),
      route('r1', { kernel_port: 2 }),
      route('x', { route_id: null, kernel_host: null, kernel_port: 3 }),
    ];
    expect(groupsOf({ route_info })[0]?.replicas.map(({ routeId, port }) => [routeId, port])).toEqual([
      ['r1', 2],
      ['localhost:3', 3],
    ]);
  });
});

describe('keys', () => {
  it('gives each process its share of a rate', () => {
    const keys = [apiKey('k', { rate_limit: 600 })];
    const entry = build({ keys }, { ...RULES, processes: 4 }).keysByHash.get(apiKey('k').token_hash);
    expect(entry?.rateLimitPerMinute).toBe(150);
  });

  it('grants nothing by an empty list unless the operator allows unrestricted keys', () => {
    const keys = [apiKey('k', { allowed_models: [] })];
    const only = (rules: typeof RULES) => [...build({ keys }, rules).keysByHash.values()][0]?.unrestricted;
    expect(only(RULES)).toBe(false);
    expect(only({ ...RULES, allowUnrestrictedKeys: true })).toBe(true);
  });

  it('admits nobody by a client list without a readable entry', () => {
    const keys = [apiKey('k', { allowed_client_ips: ['not-an-address'] })];
    expect([...build({ keys }).keysByHash.values()][0]?.allowsClient?.('10.0.0.1')).toBe(false);
  });

  it('refuses two keys with one hash and an expiry that is no time, without naming the hash', () => {
    const twin = apiKey('b', { token_hash: apiKey('a').token_hash });
    const found = reasons({ keys: [apiKey('a'), twin, apiKey('c', { expires_at: '2026-99-01T00:00:00Z' })] });
    expect(found.toSorted((left, right) => (left < right ? 1 : -1))).toEqual([
      'keys "a" and "b" have the same token_hash',
      'key "c" has an expires_at that is no timestamp',
    ]);
  });
});

it('gives a snapshot nobody can change', () => {
  const snapshot = build({ circuits: [circuit('c', 'A')], publications: [publication('m', { A: 1 })] });
  expect(Object.isFrozen(snapshot)).toBe(true);
  expect(Object.isFrozen(snapshot.endpoints[0]?.groups[0]?.replicas[0])).toBe(true);
  expect(Object.isFrozen(snapshot.modelsByName.get('m')?.endpoints[0])).toBe(true);
});
