import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  startPrivatePostgres,
  testRedisUrl,
  uniqueAuthority,
  type PrivateService,
  type TestDatabase,
} from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';

describe('without the database', () => {
  let postgres: PrivateService;
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;

  beforeEach(async () => {
    postgres = await startPrivatePostgres();
    database = await createTestDatabase('coordinator', postgres.url);
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await coordinator.stop();
    await postgres.dispose();
  });

  it('answers 503 in the wire form, stays up, and serves again when it returns', async () => {
    const authority = uniqueAuthority();
    const node = await FakeRouterNode.join(coordinator, { authority, redisUrl: testRedisUrl() });
    await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, { body: {} });
    await postgres.stop();
    const calls: [string, string, object?][] = [
      ['GET', '/api/worker'],
      ['PATCH', `/api/worker/${node.workerId}`, { node_id: node.nodeId }],
      ['GET', `/api/worker/${node.workerId}/router-config`],
      ['PUT', `/v2/routers/${authority}/models/m`, { aliases: ['x'] }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await coordinator.call(method, path, body ? { body } : {});
      expect(answer).toMatchObject({
        status: 503,
        body: {
          type: 'https://api.backend.ai/probs/service-unavailable',
          error_code: 'agent_generic_unavailable',
        },
      });
      expect(JSON.stringify(answer.body)).not.toMatch(/postgres|127\.0\.0\.1|ECONN/i);
    }
    expect((await coordinator.call('GET', '/health/livez')).status).toBe(200);
    expect((await coordinator.call('GET', '/health/readyz')).status).toBe(503);
    expect((await coordinator.call('GET', '/metrics')).status).toBe(200);
    await postgres.start();
    await eventually(async () => {
      const answer = await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, {
        body: { aliases: ['x'] },
      });
      expect(answer.status).toBe(200);
    });
    await node.leave();
  });
});
