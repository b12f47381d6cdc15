import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { ManagerApi } from '../support/manager-api.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import { RouterApi } from '../support/router-api.ts';
import { Stack } from '../support/stack.ts';

/** One instance of two processes, without the demo. */
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start(['--routers', '1', '--workers', '2', '--no-demo']);
}, 300_000);
afterAll(() => stack.remove(), 120_000);

describe('a router instance of two processes', () => {
  it('is two nodes behind one address, each with its own admin port', async () => {
    const { routers } = stack.info;
    expect(routers).toHaveLength(2);
    expect(new Set(routers.map(({ base_url }) => base_url)).size).toBe(1);
    for (const member of ['node_id', 'admin_url', 'pid'] as const)
      expect(new Set(routers.map((router) => router[member])).size).toBe(2);
    const live = await new CoordinatorApi(stack.info).liveNodes();
    expect(live.sort()).toEqual(routers.map(({ node_id }) => node_id).sort());
  });

  it('without the demo has no key, no model and no replicas', () => {
    expect(stack.info).toMatchObject({ api_key: null, model: null, replicas: [] });
  });

  it('proves a revocation for both nodes', async () => {
    const fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1 }]);
    const manager = new ManagerApi(stack.info);
    const { id } = await manager.issueKey(fixture.projectId, [fixture.name]);
    const { strict } = await manager.revokeKeyStrictly(id);
    expect(strict.confirmed).toBe(true);
    expect(strict.confirmed_nodes).toHaveLength(2);
    await fixture.stop();
  });

  it('replaces a process that was killed, while the other one serves', async () => {
    const fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1 }]);
    const [, victim] = stack.info.routers;
    const before = await new RouterApi(victim ?? missing()).status();
    process.kill(before.pid, 'SIGKILL');
    await eventually(
      async () => {
        const { status } = await fixture.router.chat(fixture.key, fixture.name);
        expect(status).toBe(200);
        const now = await new RouterApi(victim ?? missing()).status();
        expect(now.ready).toBe(true);
        expect([now.pid === before.pid, now.node_id === before.node_id]).toEqual([false, false]);
      },
      { timeoutMs: 30_000 },
    );
    await fixture.stop();
  });
});

function missing(): never {
  throw new Error('the instance has only one process');
}
