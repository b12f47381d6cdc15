import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPrismaAdapter } from '@penstock/database';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { PrismaClient } from '../../src/generated/prisma/client.js';
import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { handOver } from '../support/interactive-session.js';

/** Hex, because a hash that is nearly right is the likeliest to be quoted. */
const CANARY = 'c0ffee15deadbeef';
const HASH = CANARY.repeat(4);
const SECRET_FIELDS = ['token_hash', 'access_key', 'login_session_token', 'user_uuid', 'exp', 'kernel_host'];

/** Values no schema takes in one of these fields, each with the canary in it. */
const MISTAKES: readonly unknown[] = [
  CANARY.repeat(40),
  `${CANARY}\u0000`,
  [CANARY],
  { [CANARY]: CANARY },
  `g${HASH.slice(1)}`,
];

describe('secrets that callers hand over', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let node: FakeRouterNode;
  const logged: string[] = [];
  const authority = uniqueAuthority();

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl: testRedisUrl(),
      overrides: { jwt_secret: `jwt-${CANARY}`, log_level: 'trace' },
      log: { write: (line) => void logged.push(line) },
    });
    node = await FakeRouterNode.join(coordinator, { authority, redisUrl: testRedisUrl() });
  });

  afterAll(async () => {
    await node.leave();
    await coordinator.stop();
    await database.drop();
  });

  const calls = () =>
    [
      ['PUT', `/v2/routers/${authority}/api-keys/k`],
      ['POST', '/v2/conf'],
      ['POST', `/v2/endpoints/${randomUUID()}/token`],
    ] as const;

  async function answerOf(method: string, path: string, body: unknown): Promise<[number, string]> {
    const { status, body: answer, headers } = await coordinator.call(method, path, { body });
    return [status, JSON.stringify([answer, ...headers])];
  }

  it('come back in no answer and reach no log when they are wrong', async () => {
    for (const [method, path] of calls()) {
      for (const mistake of MISTAKES) {
        const wrong = Object.fromEntries(SECRET_FIELDS.map((field) => [field, mistake]));
        const [status, answer] = await answerOf(method, path, { ...wrong, session: wrong });
        expect({ path, status }).toEqual({ path, status: 400 });
        expect(answer).not.toContain(CANARY);
      }
    }
    const query = `token=${CANARY}&session_id=${CANARY}&app=a&protocol=${CANARY}&port=${CANARY}`;
    for (const path of [`/v2/proxy/auth?${query}`, `/v2/proxy/${CANARY}/${randomUUID()}/add?${query}`]) {
      const [status, answer] = await answerOf('GET', path, undefined);
      expect({ path, status, leaks: answer.includes(CANARY) }).toEqual({ path, status: 400, leaks: false });
    }
    expect(logged.join('')).not.toContain(CANARY);
  });

  it('come back in no answer and reach no log when the database refuses them', async () => {
    const client = new PrismaClient({ adapter: createPrismaAdapter(database.url) });
    await client.$executeRaw`ALTER TABLE tokens ADD CHECK (access_key = 'none')`;
    await client.$executeRaw`ALTER TABLE router_api_keys ADD CHECK (token_hash = 'none')`;
    await client.$disconnect();
    const [key, conf] = calls();
    const handed = { ...handOver({ access_key: CANARY }), login_session_token: CANARY };
    for (const [[method, path], body] of [[key, { token_hash: HASH }] as const, [conf, handed] as const]) {
      const [status, answer] = await answerOf(method, path, body);
      expect({ path, status, leaks: answer.includes(CANARY) }).toEqual({ path, status: 500, leaks: false });
    }
    expect(logged.filter((line) => line.includes('request failed'))).not.toEqual([]);
    expect(logged.join('')).not.toContain(CANARY);
  });
});
