import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { SLACK } from '../support/figures.ts';
import { describePropagation } from '../support/propagation-suite.ts';
import { RouterApi } from '../support/router-api.ts';
import { Stack } from '../support/stack.ts';

/** A second start finds everything built and its databases made. */
const SECOND_START_MS = 20_000;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start(['--coordinators', '2']);
}, 300_000);
afterAll(() => stack.remove(), 120_000);

describePropagation('changes with two coordinators on one database and one Redis', () => stack);

describe('a stack that was stopped', () => {
  it('is up again in under 20 s, with the same address and key', async () => {
    const before = stack.info;
    await stack.down();
    stack = await Stack.start(['--coordinators', '2'], stack.dataDir);
    expect(stack.startedInMs).toBeLessThan(SECOND_START_MS * Math.min(SLACK, 3));
    expect([stack.info.base_url, stack.info.api_key]).toEqual([before.base_url, before.api_key]);
    for (const router of stack.info.routers)
      expect((await new RouterApi(router).chat(before.api_key, before.model)).status).toBe(200);
    expect(await new CoordinatorApi(stack.info).liveNodes()).toHaveLength(stack.info.routers.length);
  }, 180_000);
});
