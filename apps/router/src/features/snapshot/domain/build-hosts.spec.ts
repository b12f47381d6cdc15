import { describe, expect, it } from '@jest/globals';
import type { Circuit } from '@penstock/protocol';
import { snapshotInput } from '../testing/snapshot-input.js';
import { circuit, publication } from '../testing/wire-builders.js';
import { buildSnapshot, type SnapshotBuild } from './build-snapshot.js';

const RULES = { allowUnrestrictedKeys: false, processes: 1 };

function build(input: Parameters<typeof snapshotInput>[0], base: SnapshotBuild | null = null): SnapshotBuild {
  const built = buildSnapshot(snapshotInput(input), RULES, base);
  if (built.kind === 'refused') throw new Error(built.reasons.join('; '));
  return built;
}

function hosts(circuits: readonly Circuit[]) {
  const { publicHosts, internalHosts } = build({ circuits }).snapshot;
  const ids = (map: typeof publicHosts) => Object.fromEntries([...map].map(([l, t]) => [l, t.circuitId]));
  return { public: ids(publicHosts), internal: ids(internalHosts) };
}

const wildcard = (id: string, subdomain: string | null, over: Partial<Circuit> = {}) =>
  circuit(id, `e-${id}`, { frontend_mode: 'wildcard', subdomain, ...over });
const internal = (id: string, subdomain: string | null, over: Partial<Circuit> = {}) =>
  wildcard(id, subdomain, { visibility: 'internal', requires_token: true, ...over });

describe('the hosts of a snapshot', () => {
  it('keeps public and internal endpoints apart, whatever their labels', () => {
    expect(hosts([wildcard('a', 'Llama'), internal('b', 'llama'), internal('c', 'other')])).toEqual({
      public: { llama: 'a' },
      internal: { llama: 'b', other: 'c' },
    });
  });

  it('has internal endpoints of a router, and none of its public ones', () => {
    const router = { frontend_mode: 'router' } as const;
    expect(hosts([wildcard('a', 'a', router), internal('b', 'b', router)])).toEqual({
      public: {},
      internal: { b: 'b' },
    });
  });

  it('leaves out what has no label', () => {
    expect(hosts([wildcard('a', null), internal('b', null)])).toEqual({ public: {}, internal: {} });
  });

  it('gives a label that two circuits claim to the younger one', () => {
    const young = wildcard('young', 'x', { created_at: '2026-02-01T00:00:00Z' });
    for (const order of [
      [wildcard('old', 'x'), young],
      [young, wildcard('old', 'x')],
    ]) {
      expect(hosts(order).public).toEqual({ x: 'young' });
    }
  });

  it('reads whether a token is needed from either spelling', () => {
    const needs = (over: Partial<Circuit>) =>
      build({ circuits: [wildcard('a', 'a', over)] }).snapshot.endpoints[0]?.requiresToken;
    expect(needs({ open_to_public: true })).toBe(false);
    expect(needs({ open_to_public: false })).toBe(true);
    expect(needs({ visibility: 'internal' })).toBe(true);
    expect(needs({ visibility: 'internal', requires_token: false })).toBe(false);
  });

  it('is the same object for an endpoint that did not change', () => {
    const kept = internal('a', 'a');
    const first = build({ circuits: [kept, internal('b', 'b')] });
    const second = build({ circuits: [kept] }, first);
    expect(second.snapshot.internalHosts.get('a')).toBe(first.snapshot.internalHosts.get('a'));
    expect(second.snapshot.internalHosts.has('b')).toBe(false);
  });
});

describe('a publication of an internal endpoint', () => {
  const circuits = [internal('i', 'i'), circuit('p', 'e-p')];

  it('keeps its public endpoints only, and says so', () => {
    const { snapshot, models } = build({
      circuits,
      publications: [publication('m', { 'e-i': 1, 'e-p': 1 })],
    });
    expect(snapshot.modelsByName.get('m')?.endpoints.map(({ endpointId }) => endpointId)).toEqual(['e-p']);
    expect(models.warnings).toEqual(['publication "m" maps the internal endpoint e-i']);
  });

  it('is not listed, with none of its names, when it leads to nothing else', () => {
    const { snapshot } = build({
      circuits,
      publications: [publication('m', { 'e-i': 1 }, { aliases: ['n'] })],
    });
    expect([...snapshot.modelsByName.keys()]).toEqual([]);
  });

  it('is served again once the endpoint is public', () => {
    const publications = [publication('m', { 'e-i': 1 })];
    const hidden = build({ circuits, publications });
    const shown = build({ circuits: [circuit('i', 'e-i')], publications }, hidden);
    expect([...shown.snapshot.modelsByName.keys()]).toEqual(['m']);
    expect(shown.models.warnings).toEqual([]);
  });
});
