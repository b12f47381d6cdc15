import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { endpointItem } from '../support/endpoint-item.js';
import { FakeRouterNode, registration } from '../support/fake-router-node.js';

describe('two coordinators on one database and one Redis', () => {
  let database: TestDatabase;
  let one: CoordinatorInstance;
  let two: CoordinatorInstance;
  let nodes: FakeRouterNode[];
  const authority = uniqueAuthority();

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const settings = { databaseUrl: database.url, redisUrl: testRedisUrl() };
    one = await CoordinatorInstance.start(settings);
    two = await CoordinatorInstance.start(settings);
    // Each node talks to a coordinator of its own.
    nodes = [
      await FakeRouterNode.join(one, { authority, redisUrl: testRedisUrl() }),
      await FakeRouterNode.join(two, { authority, redisUrl: testRedisUrl() }),
    ];
  });

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.leave()));
    await Promise.all([one.stop(), two.stop()]);
    await database.drop();
  });

  it('show the same fleet', async () => {
    const answers = await Promise.all(
      [one, two].map((each) => each.call('GET', `/api/worker/${nodes[0]?.workerId}`)),
    );
    for (const { body } of answers) {
      const seen = body.node_details.map(({ node_id }: { node_id: string }) => node_id);
      expect(seen).toEqual(nodes.map((node) => node.nodeId).sort());
    }
  });

  it('collect the acks of every node, whichever coordinator it registered with', async () => {
    for (const each of [one, two]) {
      await each.call('PUT', `/v2/routers/${authority}/api-keys/k`, { body: { token_hash: 'd'.repeat(64) } });
      const { body } = await each.call('DELETE', `/v2/routers/${authority}/api-keys/k?strict=true`);
      expect(body.strict).toMatchObject({ confirmed: true, unconfirmed_nodes: [] });
    }
  });

  it('hand out each revision once under writers on both', async () => {
    const before = await one.call('GET', `/v2/routers/${authority}/models`);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_none, n) =>
        (n % 2 === 0 ? one : two).call('PUT', `/v2/routers/${authority}/models/m${n}`, { body: {} }),
      ),
    );
    const revisions = answers.map(({ body }) => Number(body.propagation.revision)).sort((a, b) => a - b);
    const first = Number(before.body.revision) + 1;
    expect(revisions).toEqual(Array.from({ length: 30 }, (_none, n) => first + n));
  });

  it('let one name be published once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_none, n) =>
        (n % 2 === 0 ? one : two).call('PUT', `/v2/routers/${authority}/models/contender-${n}`, {
          body: { aliases: ['the-name'] },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });

  it('never let a router and a stock inference worker in together', async () => {
    const fresh = await createTestDatabase('coordinator');
    const settings = { databaseUrl: fresh.url, redisUrl: testRedisUrl() };
    const pair = await Promise.all([
      CoordinatorInstance.start(settings),
      CoordinatorInstance.start(settings),
    ]);
    const router = registration(uniqueAuthority());
    const stock = {
      ...registration(uniqueAuthority()),
      frontend_mode: 'wildcard',
      wildcard_domain: '.models.example.com',
    };
    const answers = await Promise.all(
      pair.map((each, n) => each.call('PUT', '/api/worker', { body: n ? stock : router })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await Promise.all(pair.map((each) => each.stop()));
    await fresh.drop();
  });

  it('create one circuit for an endpoint that both are asked to create', async () => {
    const deployment_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
    const tags = {
      session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
      endpoint: { id: deployment_id },
    };
    const body = { endpoints: [{ deployment_id, service_name: 's', tags }] };
    const answers = await Promise.all(
      [one, two, one, two].map((each) => each.call('POST', '/v2/endpoints/bulk', { body })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const created = nodes[0]?.heard(EVENT_NAMES.circuitCreated).flatMap((event) => event.circuits);
    expect(created).toHaveLength(1);
  });

  it('fail no call when the same endpoints come and go on both at once', async () => {
    const items = [1, 2, 3].map(() => ({ ...endpointItem(), authority }));
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_none, n) => {
        const endpoints = [items[n % 3]];
        const method = n % 4 < 2 ? 'POST' : 'DELETE';
        return (n % 2 === 0 ? one : two).call(method, '/v2/endpoints/bulk', { body: { endpoints } });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
