import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../control/testing/model-coordinator.js';
import { plainSnapshot } from '../testing/plain-snapshot.js';
import { keysById, snapshotInput } from '../testing/snapshot-input.js';
import { apiKey, circuit, publication, route } from '../testing/wire-builders.js';
import type { KeyRules } from './build-keys.js';
import { buildSnapshot, type BuildResult, type SnapshotBuild, type SnapshotInput } from './build-snapshot.js';

const SEEDS = 30;
const STEPS = 80;

function built(result: BuildResult): SnapshotBuild {
  if (result.kind === 'refused') throw new Error(result.reasons.join('; '));
  return result;
}

/** Entities that come, change and go at random, in ways that often clash. */
class World {
  rules: KeyRules = { allowUnrestrictedKeys: false, processes: 1 };
  input: SnapshotInput = snapshotInput({});
  private step = 0;

  constructor(private readonly random: () => number) {}

  change(): void {
    this.step += 1;
    const changes = [
      () => this.changeKey(),
      () => this.changePublication(),
      () => this.changeCircuit(),
      () => (this.rules = { allowUnrestrictedKeys: this.random() < 0.5, processes: 1 + this.below(2) }),
    ];
    changes[this.below(20) === 0 ? 3 : this.below(3)]?.();
    this.input = { ...this.input, revision: String(this.step) };
  }

  /** The same, from a list: nothing in it remembers how it came about. */
  fresh(): SnapshotInput {
    const { revision, circuits, publications, keys } = this.input;
    return {
      revision,
      circuits: new Map(circuits),
      publications: new Map(publications),
      keys: keysById([...keys.values()]),
    };
  }

  private changeKey(): void {
    const draft = this.input.keys.edit();
    const id = `k${this.below(5)}`;
    if (this.random() < 0.4) draft.delete(id);
    else {
      const { token_hash } = apiKey(`hash-${this.below(8)}`);
      const expires_at = this.below(15) === 0 ? '2026-99-01T00:00:00Z' : null;
      const allowed_client_ips = this.random() < 0.3 ? ['10.0.0.0/8'] : null;
      const allowed_models = this.random() < 0.5 ? [] : ['m'];
      draft.set(
        id,
        apiKey(id, { token_hash, expires_at, allowed_client_ips, allowed_models, rate_limit: 60 }),
      );
    }
    this.input = { ...this.input, keys: draft.done() };
  }

  private changePublication(): void {
    const publications = new Map(this.input.publications);
    const name = `m${this.below(3)}`;
    if (this.random() < 0.3) publications.delete(name);
    else {
      const mappings = { [`E${this.below(3)}`]: this.below(3), [`E${this.below(3)}`]: 1 };
      const aliases = this.random() < 0.5 ? [`a${this.below(4)}`] : [];
      publications.set(name, publication(name, mappings, { aliases }));
    }
    this.input = { ...this.input, publications };
  }

  private changeCircuit(): void {
    const circuits = new Map(this.input.circuits);
    const id = `c${this.below(5)}`;
    if (this.random() < 0.3) circuits.delete(id);
    else {
      const created_at = `2026-01-0${1 + this.below(5)}T00:00:00Z`;
      const route_info = [route(`r${this.below(3)}`), route(`r${this.step}`)];
      const app_mode = this.below(6) === 0 ? 'interactive' : 'inference';
      circuits.set(id, circuit(id, `E${this.below(3)}`, { created_at, route_info, app_mode }));
    }
    this.input = { ...this.input, circuits };
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}

describe('a build on the one before it', () => {
  it(`comes out like one from nothing, over ${SEEDS} seeds`, () => {
    const verdicts = { built: 0, refused: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const world = new World(seededRandom(seed));
      let base: SnapshotBuild | null = null;
      for (let step = 0; step < STEPS; step += 1) {
        world.change();
        const next: BuildResult = buildSnapshot(world.input, world.rules, base);
        const reference = buildSnapshot(world.fresh(), world.rules);
        expect({ seed, step, kind: next.kind }).toEqual({ seed, step, kind: reference.kind });
        verdicts[next.kind] += 1;
        if (next.kind === 'refused' || reference.kind === 'refused') continue;
        expect({ seed, step, ...plainSnapshot(next.snapshot) }).toEqual({
          seed,
          step,
          ...plainSnapshot(reference.snapshot),
        });
        base = next;
      }
    }
    expect(Math.min(verdicts.built, verdicts.refused)).toBeGreaterThan(SEEDS * 5);
  });

  const RULES = { allowUnrestrictedKeys: false, processes: 1 };
  const input = snapshotInput({
    circuits: [circuit('c1', 'A'), circuit('c2', 'B')],
    publications: [publication('m', { A: 1 }, { aliases: ['x'] }), publication('n', { A: 1, B: 1 })],
    keys: Array.from({ length: 3_000 }, (_, n) => apiKey(`key-${n}`)),
  });
  const base = built(buildSnapshot(input, RULES));

  it('keeps every other key, all models and all endpoints when a key goes', () => {
    const draft = input.keys.edit();
    draft.delete('key-7');
    const { snapshot } = built(buildSnapshot({ ...input, revision: '2', keys: draft.done() }, RULES, base));
    expect([...snapshot.keysByHash.keys()]).toHaveLength(2_999);
    for (const [hash, key] of snapshot.keysByHash) {
      if (base.snapshot.keysByHash.get(hash) !== key) throw new Error(`${key.keyId} was built again`);
    }
    expect(snapshot.modelsByName).toBe(base.snapshot.modelsByName);
    expect(snapshot.endpoints).toBe(base.snapshot.endpoints);
  });

  it('builds only the changed endpoint and the routes that lead to it again', () => {
    const circuits = new Map(input.circuits).set('c2', circuit('c2', 'B', { served_model: 'other' }));
    const { snapshot } = built(buildSnapshot({ ...input, circuits }, RULES, base));
    const isKept = (name: string) => snapshot.modelsByName.get(name) === base.snapshot.modelsByName.get(name);
    expect(['m', 'x', 'n'].filter(isKept)).toEqual(['m', 'x']);
    expect(snapshot.endpoints[0]).toBe(base.snapshot.endpoints[0]);
    expect(snapshot.endpoints[1]).not.toBe(base.snapshot.endpoints[1]);
    expect(snapshot.keysByHash).toBe(base.snapshot.keysByHash);
  });

  it('never brings back an endpoint that was away: what hung on it is gone', () => {
    const younger = circuit('c3', 'A', { created_at: '2026-02-01T00:00:00Z' });
    const covered = built(
      buildSnapshot({ ...input, circuits: new Map(input.circuits).set('c3', younger) }, RULES, base),
    );
    const again = built(buildSnapshot({ ...input, circuits: new Map(input.circuits) }, RULES, covered));
    expect(again.snapshot.endpoints[0]).toEqual(base.snapshot.endpoints[0]);
    expect(again.snapshot.endpoints[0]).not.toBe(base.snapshot.endpoints[0]);
  });

  it('builds every key again when the rules change, and lets two keys exchange their hashes', () => {
    const [one, two] = [apiKey('key-1'), apiKey('key-2')];
    const draft = input.keys.edit();
    draft.set('key-1', { ...one, token_hash: two.token_hash, rate_limit: 60 });
    draft.set('key-2', { ...two, token_hash: one.token_hash });
    const next = built(buildSnapshot({ ...input, keys: draft.done() }, { ...RULES, processes: 2 }, base));
    expect(next.snapshot.keysByHash.get(two.token_hash)).toMatchObject({
      keyId: 'key-1',
      rateLimitPerMinute: 30,
    });
    expect(next.snapshot.keysByHash.get(one.token_hash)?.keyId).toBe('key-2');
    const sameRules = built(buildSnapshot({ ...input, keys: draft.done() }, RULES, base));
    expect(sameRules.snapshot.keysByHash.get(one.token_hash)?.keyId).toBe('key-2');
  });
});
