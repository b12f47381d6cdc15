import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { ManagerApi, type IssuedKey } from '../support/manager-api.ts';
import { RouterApi } from '../support/router-api.ts';
import { Stack } from '../support/stack.ts';

/** A stack of its own, because it kills routers. */
let stack: Stack;
let manager: ManagerApi;
let projectId: string;

beforeAll(async () => {
  stack = await Stack.start();
  manager = new ManagerApi(stack.info);
  projectId = (await manager.createProject()).id;
}, 300_000);
afterAll(() => stack.remove(), 120_000);

function newKey(): Promise<IssuedKey> {
  return manager.issueKey(projectId, [stack.info.model]);
}

/** Node ids change when a router restarts, so they are asked for, not remembered. */
async function nodeIds(): Promise<string[]> {
  const statuses = await Promise.all(stack.info.routers.map((router) => new RouterApi(router).status()));
  return statuses.map(({ node_id }) => node_id).sort();
}

describe('strict revocation', () => {
  it('names every node as confirmed, and every node refuses the key by then', async () => {
    const { id, key } = await newKey();
    const { strict } = await manager.revokeKeyStrictly(id);
    expect(strict).toEqual({
      confirmed: true,
      confirmed_nodes: expect.anything(),
      unconfirmed_nodes: [],
    });
    expect([...strict.confirmed_nodes].sort()).toEqual(await nodeIds());
    for (const router of stack.info.routers) expect(await new RouterApi(router).listModels(key)).toBeNull();
  });

  it('never says confirmed while Redis is away, and confirms on a repeat', async () => {
    const { id } = await newKey();
    await stack.stopService('redis');
    expect((await manager.revokeKeyStrictly(id)).strict.confirmed).toBe(false);
    await stack.startService('redis');
    await eventually(async () => expect((await manager.revokeKeyStrictly(id)).strict.confirmed).toBe(true), {
      timeoutMs: 30_000,
      intervalMs: 250,
    });
  }, 90_000);

  it('names a killed router as unconfirmed until its liveness is over', async () => {
    const router = new RouterApi(secondRouter());
    const { node_id: killed, pid } = await router.status();
    const { id } = await newKey();
    const { node_id: alive } = await new RouterApi(firstRouter()).status();
    process.kill(pid, 'SIGKILL');
    const { strict } = await manager.revokeKeyStrictly(id);
    expect(strict.confirmed).toBe(false);
    expect(strict.unconfirmed_nodes).toContain(killed);
    expect(strict.confirmed_nodes).toContain(alive);
    expect(strict.confirmed_nodes).not.toContain(killed);
    const coordinator = new CoordinatorApi(stack.info);
    await eventually(async () => expect(await coordinator.liveNodes()).not.toContain(killed), {
      timeoutMs: 60_000,
      intervalMs: 250,
    });
    const { id: next } = await newKey();
    expect((await manager.revokeKeyStrictly(next)).strict.confirmed).toBe(true);
  }, 120_000);

  it('never says confirmed when no node is alive', async () => {
    const { id } = await newKey();
    await stack.stopService('router-1');
    await stack.stopService('router-2');
    const coordinator = new CoordinatorApi(stack.info);
    await eventually(async () => expect(await coordinator.liveNodes()).toEqual([]), { timeoutMs: 60_000 });
    const { strict } = await manager.revokeKeyStrictly(id);
    expect(strict).toMatchObject({ confirmed: false, confirmed_nodes: [] });
  }, 180_000);
});

function firstRouter() {
  const [first] = stack.info.routers;
  if (first === undefined) throw new Error('the stack has no router');
  return first;
}

function secondRouter() {
  const [, second] = stack.info.routers;
  if (second === undefined) throw new Error('the stack has only one router');
  return second;
}
