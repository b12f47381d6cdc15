import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CHANGES, note, percentile, SLACK } from './figures.ts';
import { unique, type IssuedKey } from './manager-api.ts';
import { ModelFixture } from './model-fixture.ts';
import type { RouterApi } from './router-api.ts';
import type { Stack } from './stack.ts';

const P95_MS = 1_000;
const WORST_MS = 3_000;
/** What the test stacks set as `router.reconcile_interval_ms`. */
const RECONCILE_MS = 2_000;
const TIMEOUT_MS = 180_000;

/** Says whether a change shows on one router. */
type SeenOn = (router: RouterApi) => Promise<boolean>;
/** One kind of change: gets ready, then makes the change and says how to see it. */
type Change = (turn: number) => Promise<() => Promise<SeenOn>>;

/** Every change reaches every router in about a second; without Redis, within the reconcile interval. */
export function describePropagation(title: string, stackOf: () => Stack): void {
  describe(title, () => {
    let fixture: ModelFixture;
    const kinds: Record<string, Change> = {
      'a changed ratio': (turn) => Promise.resolve(() => changeRatio(fixture, turn)),
      'a new alias': () => Promise.resolve(() => addAlias(fixture)),
      'a new key': () => Promise.resolve(() => issueKey(fixture)),
      'a revoked key': async () => {
        const issued = await spareKey(fixture);
        return () => revokeKey(fixture, issued);
      },
    };

    beforeAll(async () => {
      fixture = await ModelFixture.create(stackOf(), [
        { ratio: 0.5, replicas: 1 },
        { ratio: 0.5, replicas: 1 },
      ]);
    });
    afterAll(() => fixture.stop());

    it.each(Object.keys(kinds))(
      '%s is visible on the last node within a second',
      async (kind) => {
        const times: number[] = [];
        for (let turn = 0; turn < CHANGES; turn += 1)
          times.push(await timeChange(fixture, kinds[kind], turn));
        const [p95, worst] = [percentile(times, 0.95), Math.max(...times)];
        note(`${kind}: p50 ${percentile(times, 0.5)} ms, p95 ${p95} ms, worst ${worst} ms of ${CHANGES}`);
        expectByEvents(times);
        expect(p95).toBeLessThanOrEqual(P95_MS * SLACK);
        expect(worst).toBeLessThanOrEqual(WORST_MS * SLACK);
      },
      TIMEOUT_MS,
    );

    it('is acknowledged by a router before the caller has its answer', async () => {
      const { propagation, id } = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
      expect(propagation?.status).toBe('applied');
      await fixture.manager.revokeKey(id);
    });

    it(
      'without Redis changes arrive by pull, and quickly again when it is back',
      async () => {
        const stack = stackOf();
        await stack.stopService('redis');
        const without: number[] = [];
        for (const kind of Object.keys(kinds)) without.push(await timeChange(fixture, kinds[kind], 1_000));
        await stack.startService('redis');
        await untilEventsFlow(fixture);
        const after: number[] = [];
        for (const kind of Object.keys(kinds)) after.push(await timeChange(fixture, kinds[kind], 1_001));
        note(`one of each without Redis: ${without.join(', ')} ms; with it again: ${after.join(', ')} ms`);
        expect(Math.max(...without)).toBeLessThanOrEqual((RECONCILE_MS + P95_MS) * SLACK);
        expectByEvents(after);
        expect(Math.max(...after)).toBeLessThanOrEqual(P95_MS * SLACK);
      },
      TIMEOUT_MS,
    );
  });
}

/** Slack must not hide that events are lost: by pulls alone half of the changes would take longer than this. */
function expectByEvents(times: readonly number[]): void {
  expect(percentile(times, 0.5)).toBeLessThan(RECONCILE_MS / 2);
}

/** From the request sent to the change visible on the last router. */
async function timeChange(fixture: ModelFixture, change: Change | undefined, turn: number): Promise<number> {
  if (change === undefined) throw new Error('no such change');
  const make = await change(turn);
  const startedAt = Date.now();
  const seenOn = await make();
  await Promise.all(fixture.routers.map((router) => until(() => seenOn(router))));
  return Date.now() - startedAt;
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await check()))
    if (Date.now() > deadline) throw new Error('the change was not visible after 60 s');
}

async function changeRatio(fixture: ModelFixture, turn: number): Promise<SeenOn> {
  const ratio = 1 + turn / 10_000;
  const [first] = fixture.deployments;
  await fixture.manager.changePublication(fixture.publication.id, { mappings: fixture.mappings([ratio, 1]) });
  return async (router) => {
    const { models = [] } = await router.status();
    const endpoints = models.find(({ name }) => name === fixture.name)?.endpoints ?? [];
    return endpoints.some((endpoint) => endpoint.endpoint_id === first?.id && endpoint.ratio === ratio);
  };
}

async function addAlias(fixture: ModelFixture): Promise<SeenOn> {
  const alias = unique('alias');
  await fixture.manager.changePublication(fixture.publication.id, { aliases: [alias] });
  return async (router) => {
    const { models = [] } = await router.status();
    return models.some(({ name }) => name === alias);
  };
}

async function issueKey(fixture: ModelFixture): Promise<SeenOn> {
  const { key } = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
  return async (router) => (await router.listModels(key))?.includes(fixture.name) === true;
}

async function revokeKey(fixture: ModelFixture, issued: IssuedKey): Promise<SeenOn> {
  await fixture.manager.revokeKey(issued.id);
  return async (router) => (await router.listModels(issued.key)) === null;
}

/** A key that every router knows. */
async function spareKey(fixture: ModelFixture): Promise<IssuedKey> {
  const issued = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
  for (const router of fixture.routers)
    await until(async () => (await router.listModels(issued.key))?.includes(fixture.name) === true);
  return issued;
}

/** A new key that appears without a pull's delay shows that both ends are subscribed again. */
async function untilEventsFlow(fixture: ModelFixture): Promise<void> {
  await until(async () => {
    const { propagation, id } = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
    await fixture.manager.revokeKey(id);
    return propagation?.status === 'applied';
  });
}
