import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import type { Answer } from '../support/answer.js';
import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';

interface Lineage {
  readonly upstream: string | null;
  readonly ancestors: readonly string[];
  readonly downstreams: readonly string[];
  readonly descendants: readonly string[];
}

describe('upstream bindings, over two coordinators on one database', () => {
  let database: TestDatabase;
  let coordinators: CoordinatorInstance[];
  let one: CoordinatorInstance;
  let node: FakeRouterNode;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = { databaseUrl: database.url, redisUrl: testRedisUrl() };
    one = await CoordinatorInstance.start(settings);
    coordinators = [one, await CoordinatorInstance.start(settings)];
    node = await FakeRouterNode.join(one, { authority: uniqueAuthority(), redisUrl: testRedisUrl() });
  });

  afterAll(async () => {
    await node.leave();
    await Promise.all(coordinators.map((each) => each.stop()));
    await database.drop();
  });

  it('read both ways, nearest first', async () => {
    const [a, b, c, d] = await endpoints(4);
    await bind(b, a);
    await bind(c, b);
    await bind(d, b);
    expect(await lineage(b)).toEqual({
      deployment_id: b,
      upstream: a,
      ancestors: [a],
      downstreams: [c, d].sort(),
      descendants: [c, d].sort(),
    });
    expect((await lineage(d)).ancestors).toEqual([b, a]);
    expect((await lineage(a)).descendants).toEqual([b, ...[c, d].sort()]);
  });

  it('may be repeated, changed and undone', async () => {
    const [a, b, c] = await endpoints(3);
    for (const upstream of [a, a, c, null, null]) {
      expect(await bind(b, upstream)).toMatchObject({ status: 200, body: { success: true } });
      expect((await lineage(b)).upstream).toBe(upstream);
    }
  });

  it('refuse itself, a circle, and endpoints nobody knows', async () => {
    const [a, b, c] = await endpoints(3);
    await bind(b, a);
    await bind(c, b);
    expect(await bind(a, a)).toMatchObject({ status: 409, body: { error_code: 'appproxy_create_conflict' } });
    const circle = await bind(a, c);
    expect(circle.status).toBe(409);
    expect(circle.body).toMatchObject({ msg: expect.stringContaining(`${a} -> ${c} -> ${b} -> ${a}`) });
    const unknown = { status: 404, body: { title: 'E00002: No such endpoint.' } };
    expect(await bind(a, randomUUID())).toMatchObject(unknown);
    expect(await bind(randomUUID(), a)).toMatchObject(unknown);
    expect(await one.call('GET', `/v2/endpoints/${randomUUID()}/lineage`)).toMatchObject(unknown);
    expect((await lineage(a)).upstream).toBeNull();
  });

  it.each([{}, { upstream_endpoint_id: 'x' }])('refuse the body %j', async (body) => {
    const [a] = await endpoints(1);
    const answer = await one.call('PUT', `/v2/endpoints/${a}/upstream`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.data.errors[0]?.loc).toEqual(['upstream_endpoint_id']);
  });

  it('never close a circle together that none of them closes alone', async () => {
    const ring = await endpoints(6);
    const answers = await Promise.all(
      ring.map((id, n) => bind(id, ring[(n + 1) % ring.length] ?? null, coordinators[n % 2])),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ring.length - 1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
  });

  it('keep an upstream that somebody calls, and say who', async () => {
    const [a, b, c] = await endpoints(3);
    await bind(b, a);
    await bind(c, a);
    const downstreams = [b, c].sort();
    expect(await one.call('DELETE', `/v2/endpoints/${a}`)).toMatchObject({
      status: 409,
      body: { error_code: 'appproxy_delete_conflict', data: { downstreams } },
    });
    const bulk = await one.call('DELETE', '/v2/endpoints/bulk', {
      body: { endpoints: [{ deployment_id: a }, { deployment_id: c }] },
    });
    expect(bulk.status).toBe(200);
    expect(bulk.body.endpoints[0]?.success).toBe(false);
    for (const id of downstreams) expect(bulk.body.endpoints[0]?.error).toContain(id);
    expect(bulk.body.endpoints[1]).toMatchObject({ success: true, error: null });
    await bind(b, null);
    expect((await one.call('DELETE', `/v2/endpoints/${a}`)).status).toBe(200);
  });

  it('keep an upstream whose circuit is to go', async () => {
    const [a, b] = await endpoints(2);
    await bind(b, a);
    const { body } = await one.call('GET', `/api/worker/${node.workerId}/circuits`);
    const circuit = body.circuits.find(({ endpoint_id }) => endpoint_id === a);
    expect((await one.call('DELETE', `/api/circuit/${circuit?.id}`)).status).toBe(409);
    expect((await lineage(b)).upstream).toBe(a);
  });

  it('either bind or let the upstream go when both are asked at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = await endpoints(2);
      const [bound, removed] = await Promise.all([
        bind(b, a, coordinators[0]),
        coordinators[1]?.call('DELETE', `/v2/endpoints/${a}`),
      ]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([bound.status, removed?.status]);
    }
  });

  async function endpoints(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    const items = ids.map((deployment_id) => ({
      deployment_id,
      service_name: 's',
      tags: {
        session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
        endpoint: { id: deployment_id },
      },
    }));
    await one.call('POST', '/v2/endpoints/bulk', { body: { endpoints: items } });
    return ids;
  }

  function bind(id = '', upstream: string | null = null, coordinator = one): Promise<Answer> {
    const body = { upstream_endpoint_id: upstream };
    return coordinator.call('PUT', `/v2/endpoints/${id}/upstream`, { body });
  }

  async function lineage(id = ''): Promise<Lineage> {
    return (await one.call('GET', `/v2/endpoints/${id}/lineage`)).body as unknown as Lineage;
  }
});
