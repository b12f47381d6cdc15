import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';
import {
  createTestDatabase,
  eventually,
  startPrivateRedis,
  uniqueAuthority,
  type PrivateService,
  type TestDatabase,
} from '@penstock/testkit';

import { Redis } from 'ioredis';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode, registration } from '../support/fake-router-node.js';

const TTL_MS = 2_000;

describe('proof of revocation', () => {
  let database: TestDatabase;
  let redis: PrivateService;
  let coordinator: CoordinatorInstance;
  let authority: string;
  let nodes: FakeRouterNode[];

  beforeEach(async () => {
    authority = uniqueAuthority();
    nodes = [];
    [database, redis] = await Promise.all([createTestDatabase('coordinator'), startPrivateRedis()]);
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: redis.url,
      overrides: { worker_heartbeat_timeout_ms: TTL_MS, liveness_sweep_interval_ms: 200 },
    });
    await busConnected();
  });

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.leave()));
    await coordinator.stop();
    await Promise.all([database.drop(), redis.dispose()]);
  });

  const busConnected = () =>
    eventually(async () => {
      const { body } = await coordinator.call('GET', '/health');
      if (!body.connectivity.overall_healthy) throw new Error('not connected yet');
    });

  async function join(acks: 'always' | 'never' = 'always'): Promise<FakeRouterNode> {
    const node = await FakeRouterNode.join(coordinator, { authority, redisUrl: redis.url, acks });
    nodes.push(node);
    return node;
  }

  const putKey = () =>
    coordinator.call('PUT', `/v2/routers/${authority}/api-keys/k`, { body: { token_hash: 'c'.repeat(64) } });
  const revoke = async () => {
    const answer = await coordinator.call('DELETE', `/v2/routers/${authority}/api-keys/k?strict=true`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const idsOf = (...of: FakeRouterNode[]) => of.map((node) => node.nodeId).sort();

  it('names every live node that acknowledged', async () => {
    const both = [await join(), await join()];
    await putKey();
    expect(await revoke()).toMatchObject({
      success: true,
      propagation: { status: 'applied', revision: '2' },
      strict: { confirmed: true, confirmed_nodes: idsOf(...both), unconfirmed_nodes: [] },
    });
  });

  it('names a silent node as unconfirmed while its time to live lasts, and not after', async () => {
    const alive = await join();
    const dead = await join('never');
    await putKey();
    const first = await revoke();
    expect(first.strict).toEqual({
      confirmed: false,
      confirmed_nodes: idsOf(alive),
      unconfirmed_nodes: idsOf(dead),
    });
    await eventually(async () => {
      await alive.beat(coordinator);
      const { body } = await coordinator.call('GET', `/api/worker/${alive.workerId}`);
      expect(body.nodes).toBe(1);
    });
    const again = await revoke();
    expect(again).toMatchObject({
      propagation: { status: 'unchanged', revision: '2' },
      strict: { confirmed: true, confirmed_nodes: idsOf(alive) },
    });
  });

  it('broadcasts a repeated strict removal again, with the revision routers know by now', async () => {
    const node = await join();
    await putKey();
    await revoke();
    await revoke();
    const removals = node.heard(EVENT_NAMES.routerKeyRemoved);
    expect(removals.map((event) => event.revision)).toEqual(['2', '2']);
  });

  it('does not repeat the broadcast of a plain removal', async () => {
    const node = await join();
    await putKey();
    await coordinator.call('DELETE', `/v2/routers/${authority}/api-keys/k`);
    const again = await coordinator.call('DELETE', `/v2/routers/${authority}/api-keys/k`);
    expect(again.body).toMatchObject({ propagation: { status: 'unchanged', waited_ms: 0 } });
    expect(again.body).not.toHaveProperty('strict');
    expect(node.heard(EVENT_NAMES.routerKeyRemoved)).toHaveLength(1);
  });

  it('never confirms without a live node, and does not wait for one', async () => {
    const node = await join();
    await putKey();
    await coordinator.call('DELETE', `/api/worker/${node.workerId}?node_id=${node.nodeId}`);
    expect(await revoke()).toMatchObject({
      propagation: { status: 'deferred', waited_ms: 0 },
      strict: { confirmed: false, confirmed_nodes: [], unconfirmed_nodes: [] },
    });
  });

  it('never confirms while Redis is down, names who it knows of, and does not wait', async () => {
    const node = await join();
    await putKey();
    await redis.stop();
    await eventually(async () => {
      const { body } = await coordinator.call('GET', '/health');
      expect(body.connectivity.overall_healthy).toBe(false);
    });
    await node.beat(coordinator);
    expect(await revoke()).toMatchObject({
      propagation: { status: 'deferred', revision: '2', waited_ms: 0 },
      strict: { confirmed: false, confirmed_nodes: [], unconfirmed_nodes: idsOf(node) },
    });
  });

  it('does not take the one node that beat since Redis lost everything for the whole fleet', async () => {
    const early = await join();
    const silent = await join('never');
    await putKey();
    await redis.stop();
    await redis.start();
    await busConnected();
    // The restarted server may have kept its data; this test is about one that did not.
    await forgetEverything(redis.url);
    await early.beat(coordinator);
    await silent.beat(coordinator);
    await forgetEverything(redis.url);
    await early.beat(coordinator);
    const { strict } = await revoke();
    expect(strict).toMatchObject({ confirmed: false, unconfirmed_nodes: idsOf(silent) });
  });

  it('gets no proof from nodes that send no id', async () => {
    await join();
    await coordinator.call('PUT', '/api/worker', { body: registration(authority) });
    await putKey();
    expect((await revoke()).strict.confirmed).toBe(false);
  });

  it('does not take the late ack of an earlier removal for one of this', async () => {
    const node = await join();
    await putKey();
    await revoke();
    await putKey();
    node.acks = 'never';
    const revoking = revoke();
    await eventually(() => expect(node.heard(EVENT_NAMES.routerKeyRemoved)).toHaveLength(2));
    await node.acknowledge('key_removed', 'k', '2');
    expect((await revoking).strict.confirmed).toBe(false);
  });

  it('refuses a value of strict that it cannot read', async () => {
    await join();
    const answer = await coordinator.call('DELETE', `/v2/routers/${authority}/api-keys/k?strict=maybe`);
    expect(answer.status).toBe(400);
  });

  it('shows the revision each node acknowledged last', async () => {
    const node = await join();
    await putKey();
    await eventually(async () => {
      const { body } = await coordinator.call('GET', `/api/worker/${node.workerId}`);
      expect(body.node_details).toMatchObject([{ node_id: node.nodeId, revision: '1', status: 'alive' }]);
    });
  });

  it('registers nodes while Redis is down, and says that liveness is unknown', async () => {
    const first = await join();
    await redis.stop();
    await eventually(async () => {
      const { body } = await coordinator.call('GET', '/health');
      expect(body.connectivity.overall_healthy).toBe(false);
    });
    const body = { ...registration(authority), node_id: 'joined-in-the-dark' };
    const answer = await coordinator.call('PUT', '/api/worker', { body });
    expect(answer).toMatchObject({ status: 200, body: { id: first.workerId } });
    const detail = await coordinator.call('GET', `/api/worker/${first.workerId}`);
    expect(detail.body.node_details).toContainEqual(
      expect.objectContaining({ node_id: 'joined-in-the-dark', status: 'unknown' }),
    );
    expect((await coordinator.call('GET', '/health/readyz')).status).toBe(200);
  });

  it('loses an authority nobody beats for, and finds it again with the first heartbeat', async () => {
    const node = await join('never');
    let created = 0;
    const create = () => {
      created += 1;
      const item = endpointItem(`a3c1e5d7-2b4f-4a2b-8c3d-${String(created).padStart(12, '0')}`);
      return coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    };
    await eventually(async () => expect((await create()).status).toBe(503), { intervalMs: 200 });
    await node.beat(coordinator);
    expect((await create()).status).toBe(200);
  });
});

function endpointItem(deployment_id: string): object {
  const tags = {
    session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
    endpoint: { id: deployment_id },
  };
  return { deployment_id, service_name: 's', tags };
}

async function forgetEverything(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
