import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  testRedisUrl,
  uniqueAuthority,
  type TestDatabase,
} from '@penstock/testkit';
import { Redis } from 'ioredis';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { registration } from '../support/fake-router-node.js';
import { loadVectors } from '../support/vectors.js';

interface Step {
  readonly t: number;
  readonly op: 'register' | 'heartbeat' | 'deregister' | 'check';
  readonly node?: string | null;
  readonly expect: { readonly nodes: number; readonly status: 'ALIVE' | 'LOST' };
}

const { ttl, cases } = loadVectors<{
  readonly ttl: number;
  readonly cases: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}>('liveness.json');

describe('the count of nodes over time, through a running coordinator', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let redis: Redis;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    const url = new URL(testRedisUrl());
    url.pathname = '/2';
    redis = new Redis(url.href);
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { worker_heartbeat_timeout_ms: ttl * 1_000, liveness_sweep_interval_ms: 100 },
    });
  });

  afterAll(async () => {
    redis.disconnect();
    await coordinator.stop();
    await database.drop();
  });

  /** Makes everything that was seen of an authority `seconds` older, in both places that remember it. */
  async function age(authority: string, seconds: number): Promise<void> {
    const nodes = `proxy-worker.nodes.${authority}`;
    const seenNodes = await redis.zrange(nodes, '0', '-1');
    for (const node of seenNodes) await redis.zincrby(nodes, -seconds, node);
    const seen = await redis.hget('proxy-worker.last_seen', authority);
    if (seen !== null) await redis.hset('proxy-worker.last_seen', authority, String(Number(seen) - seconds));
    await database.query(
      `UPDATE router_nodes SET last_seen = last_seen - make_interval(secs => $1::float8)
       WHERE worker_id = (SELECT id FROM workers WHERE authority = $2)`,
      [seconds, authority],
    );
  }

  async function perform({ op, node }: Step, authority: string, id: string): Promise<string> {
    const body = node == null ? {} : { node_id: node };
    if (op === 'register') {
      const answer = await coordinator.call('PUT', '/api/worker', {
        body: { ...registration(authority), ...body },
      });
      return answer.body.id;
    }
    if (op === 'heartbeat') await coordinator.call('PATCH', `/api/worker/${id}`, { body });
    if (op === 'deregister') await coordinator.call('DELETE', `/api/worker/${id}`, { body });
    return id;
  }

  async function observed(id: string): Promise<Step['expect']> {
    const { body } = await coordinator.call('GET', `/api/worker/${id}`);
    const [row] = await database.query<Pick<Step['expect'], 'status'>>(
      'SELECT status FROM workers WHERE id = $1',
      [id],
    );
    return { nodes: body.nodes, status: row?.status ?? 'LOST' };
  }

  it.each(cases)('$name', async ({ steps }) => {
    const authority = uniqueAuthority();
    let now = 0;
    let id = '';
    for (const step of steps) {
      await age(authority, step.t - now);
      now = step.t;
      id = await perform(step, authority, id);
      await eventually(async () =>
        expect({ t: now, ...(await observed(id)) }).toEqual({ t: now, ...step.expect }),
      );
    }
  });
});
