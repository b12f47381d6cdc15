import { createHash, randomUUID } from 'node:crypto';

import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';
import fc from 'fast-check';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { RouterApi } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';

/** Names with everything that breaks path handling, besides plain ones. */
const NAMES = [
  'plain',
  'org/model',
  'a%2Fb',
  '100%',
  'with space',
  '수문/터빈',
  'émoji 🚰',
  '../up',
  'x?y#z',
].map((name) => `listing ${name}`);
const STATES = 200;
const stack = sharedStack();
const coordinator = new CoordinatorApi(stack.info);
const routers = stack.info.routers.map((router) => new RouterApi(router));
const keys = Array.from({ length: 3 }, () => {
  const plaintext = `sk-${randomUUID()}${randomUUID()}`;
  return { id: randomUUID(), plaintext, hash: createHash('sha256').update(plaintext).digest('hex') };
});

/** What the test believes the coordinator holds. */
interface World {
  /** Primary name to aliases. */
  readonly published: Map<string, readonly string[]>;
  /** Key number to granted names. */
  readonly granted: Map<number, readonly string[]>;
}

type Step =
  | { kind: 'publish'; name: string; aliases: string[] }
  | { kind: 'unpublish'; name: string }
  | { kind: 'grant'; key: number; names: string[] };

const name = fc.constantFrom(...NAMES);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      name,
      aliases: fc.uniqueArray(name, { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpublish' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      key: fc.nat({ max: keys.length - 1 }),
      names,
    }),
  },
);

afterAll(async () => {
  for (const primary of NAMES) await coordinator.deleteModel(primary);
  for (const { id } of keys) await coordinator.deleteKey(id);
});

/** Names already taken by another publication would be refused with 409; they are left out here. */
function freeAliases(world: World, primary: string, aliases: readonly string[]): string[] {
  const taken = new Set(
    [...world.published].filter(([other]) => other !== primary).flatMap(([other, more]) => [other, ...more]),
  );
  return aliases.filter((alias) => alias !== primary && !taken.has(alias));
}

function isTakenAsAlias(world: World, primary: string): boolean {
  return [...world.published].some(([other, aliases]) => other !== primary && aliases.includes(primary));
}

async function take(world: World, next: Step): Promise<void> {
  if (next.kind === 'grant') {
    world.granted.set(next.key, next.names);
    const key = keys[next.key];
    await coordinator.putKey(key?.id ?? '', {
      token_hash: key?.hash,
      allowed_models: next.names,
      display_hint: 'sk-…test',
    });
  } else if (next.kind === 'unpublish') {
    world.published.delete(next.name);
    await coordinator.deleteModel(next.name);
  } else if (!isTakenAsAlias(world, next.name)) {
    const aliases = freeAliases(world, next.name, next.aliases);
    world.published.set(next.name, aliases);
    await coordinator.putModel(next.name, { aliases, mappings: [], control_mode: 'manual' });
  }
}

function callable(world: World, key: number): string[] {
  const published = new Set([...world.published].flatMap(([primary, aliases]) => [primary, ...aliases]));
  return (world.granted.get(key) ?? []).filter((granted) => published.has(granted)).sort();
}

/** Nothing is deployed: a name that may be called gets past the gate and finds nobody to serve it. */
function expectedStatus(world: World, key: number, name: string): number {
  const published = [...world.published].some(([primary, more]) => primary === name || more.includes(name));
  if (!published) return 404;
  return (world.granted.get(key) ?? []).includes(name) ? 503 : 403;
}

async function check(world: World, router: RouterApi): Promise<void> {
  for (const index of world.granted.keys()) {
    const expected = callable(world, index);
    const plaintext = keys[index]?.plaintext ?? '';
    await eventually(async () => expect((await router.listModels(plaintext))?.sort()).toEqual(expected));
    for (const candidate of NAMES) {
      const { status } = await router.chat(plaintext, candidate);
      expect({ candidate, status }).toEqual({ candidate, status: expectedStatus(world, index, candidate) });
    }
  }
}

describe('GET /v1/models', () => {
  it(`equals the names the key may call, in ${STATES} random states of publications and keys`, async () => {
    const steps = fc.sample(step, {
      seed: Number(process.env['PENSTOCK_E2E_SEED'] ?? '20260801'),
      numRuns: STATES,
    });
    const world: World = { published: new Map(), granted: new Map() };
    for (const [turn, next] of steps.entries()) {
      await take(world, next);
      const router = routers[turn % routers.length];
      if (router !== undefined) await check(world, router);
    }
    expect(world.granted.size).toBe(keys.length);
  }, 180_000);

  it('retrieves one by its percent-encoded name and hides what the key may not call', async () => {
    const [key] = keys;
    await coordinator.putModel('listing org/model', { aliases: [], mappings: [], control_mode: 'manual' });
    await coordinator.putKey(key?.id ?? '', {
      token_hash: key?.hash,
      allowed_models: ['listing org/model'],
      display_hint: 'sk-…test',
    });
    const headers = { authorization: `Bearer ${key?.plaintext}` };
    const get = (model: string) =>
      fetch(`${routers[0]?.baseUrl}/models/${encodeURIComponent(model)}`, { headers }).then(
        async (answer) => ({
          status: answer.status,
          body: (await answer.json()) as object,
        }),
      );
    await eventually(async () => expect((await get('listing org/model')).status).toBe(200));
    expect((await get('listing org/model')).body).toMatchObject({ id: 'listing org/model', object: 'model' });
    expect([403, 404]).toContain((await get('listing plain')).status);
    expect((await get('nothing')).status).toBe(404);
  });
});
