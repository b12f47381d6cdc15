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
  let lines: { msg: string; level: string; failed_calls?: number }[];

  beforeEach(async () => {
    postgres = await startPrivatePostgres();
    database = await createTestDatabase('coordinator', postgres.url);
    lines = [];
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      log: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
    });
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

  it('logs when it goes and when it returns, not every call it fails', async () => {
    await coordinator.call('GET', '/api/worker');
    await postgres.stop();
    for (let call = 0; call < 10; call += 1) {
      expect((await coordinator.call('GET', '/api/worker')).status).toBe(503);
    }
    await postgres.start();
    await eventually(async () => {
      await coordinator.call('GET', '/api/worker');
      expect(lines.filter(({ msg }) => msg === 'database available again')).toHaveLength(1);
    });
    const count = (text: string) => lines.filter(({ msg }) => msg.startsWith(text)).length;
    expect([count('database unavailable'), count('request failed')]).toEqual([1, 1]);
    expect(lines.find(({ failed_calls }) => failed_calls)?.failed_calls).toBeGreaterThanOrEqual(10);
  });
});
