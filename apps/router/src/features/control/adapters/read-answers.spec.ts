import { describe, expect, it } from '@jest/globals';
import { routerConfigSchema, type ModelApiKey } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';
import { apiKey, circuit, publication } from '../../snapshot/testing/wire-builders.js';
import type { PulledConfig } from '../domain/apply-pull.js';
import { inSlices } from './in-slices.js';
import { readCircuits, readRouterConfig } from './read-answers.js';

const ENDPOINT = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
const CIRCUIT = 'b3c1e5d7-2b4f-4a2b-8c3d-000000000001';
const NOTHING = { publications: new Map(), keys: new ShardedMap<ModelApiKey>() };

const keys = Array.from({ length: 500 }, (_, n) =>
  apiKey(`k${n}`, { attributes: { team: ['a', { b: n }] } }),
);
const models = [publication('m', { [ENDPOINT]: 1 }, { policy: { a: [1] } }), publication('n')];
const answer = (over: object = {}): unknown =>
  JSON.parse(JSON.stringify({ revision: '1', models, api_keys: keys, ...over }));

const read = (json: unknown, held: Omit<PulledConfig, 'revision'> = NOTHING) =>
  inSlices(readRouterConfig(json, held));

describe('readRouterConfig', () => {
  it('reads what the schema of the whole answer reads', async () => {
    const loose = {
      revision: 7,
      publications: [{ model: 'm' }],
      keys: [{ 'key-id': 'k', token_hash: 'A'.repeat(64) }],
    };
    for (const json of [answer(), loose]) {
      const expected = routerConfigSchema.parse(json);
      const config = await read(json);
      expect(config.revision).toBe(expected.revision);
      expect([...config.publications.values()]).toEqual(expected.models);
      expect(config.keys.size).toBe(expected.api_keys.length);
      for (const key of expected.api_keys) expect(config.keys.get(key.key_id)).toEqual(key);
    }
  });

  it('takes what it has for what is equal to it, however it is written', async () => {
    const held = await read(answer());
    const again = await read(answer(), held);
    expect(again.keys).toBe(held.keys);
    expect(again.publications.get('m')).toBe(held.publications.get('m'));
    const rewritten = keys.map(({ token_hash, ...key }) => ({
      ...key,
      owner: null,
      'token-hash': token_hash,
    }));
    expect((await read(answer({ api_keys: rewritten }), held)).keys).toBe(held.keys);
  });

  it('shares all but what is new, changed or gone', async () => {
    const held = await read(answer());
    const changed = apiKey('k1', { allowed_models: ['other'] });
    const config = await read(answer({ api_keys: [...keys.slice(2), changed, apiKey('new')] }), held);
    const { removed, added } = config.keys.changesSince(held.keys);
    expect(new Set(removed.map(({ key_id }) => key_id))).toEqual(new Set(['k0', 'k1']));
    expect(new Set(added.map(({ key_id }) => key_id))).toEqual(new Set(['k1', 'new']));
    expect(config.keys.get('k1')).toEqual(changed);
    expect(config.keys.size).toBe(500);
  });

  it('lets the last of two keys with one id count', async () => {
    const twice = [apiKey('k', { rate_limit: 1 }), apiKey('k', { rate_limit: 2 })];
    expect([...(await read(answer({ api_keys: twice }))).keys.values()]).toEqual([twice[1]]);
  });

  it.each([
    ['no revision', { revision: null }, 'router-config does not validate: revision: '],
    ['keys that are no list', { api_keys: {} }, 'router-config does not validate: api_keys: '],
    [
      'a mapping without an endpoint',
      { models: [{ model: 'm', mappings: [{}] }] },
      'models.0.mappings.0.endpoint_id: ',
    ],
    [
      'one wrong field in the last key',
      { api_keys: [...keys, { ...keys[0], rate_limit: 'x' }] },
      'api_keys.500.rate_limit: ',
    ],
    ['a key that is no object', { api_keys: [7] }, 'api_keys.0: '],
  ])('refuses an answer with %s as a whole', async (_what, over, message) => {
    const held = await read(answer());
    await expect(read(answer(over), held)).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining(message),
    });
  });
});

describe('readCircuits', () => {
  it('keeps circuits that did not change', async () => {
    const wire = circuit(CIRCUIT, ENDPOINT, { route_info: [], replica_groups: null });
    const first = await inSlices(readCircuits(JSON.parse(JSON.stringify({ circuits: [wire] })), new Map()));
    const held = new Map(first.map((entry) => [entry.id, entry]));
    const again = await inSlices(readCircuits(JSON.parse(JSON.stringify({ circuits: [wire] })), held));
    expect(again[0]).toBe(first[0]);
    const changed = { ...wire, served_model: 'other' };
    const [next] = await inSlices(readCircuits({ circuits: [changed] }, held));
    expect([next?.served_model, next === first[0]]).toEqual(['other', false]);
  });
});

describe('inSlices', () => {
  it('lets the event loop turn during long work', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await inSlices(busyFor(200));
    isDone = true;
    expect(turns).toBeGreaterThan(2);
  });
});

function* busyFor(ms: number): Generator<void, void> {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) yield;
}
