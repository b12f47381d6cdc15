import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { ModelFixture } from '../support/model-fixture.ts';
import type { OpenAiError } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { ServiceName } from '../support/stack.ts';
import { openStream } from '../support/sse-reader.ts';
import type { Answer } from '../support/http.ts';
import { SteadyClient } from '../support/steady-client.ts';

const stack = sharedStack();
let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 2 }]);
});
afterAll(() => fixture.stop());

/** Every router answers every request, streams included. */
async function expectServing(): Promise<void> {
  for (const router of fixture.routers) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => router.chat(fixture.key, fixture.name, { max_tokens: 1 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const stream = await openStream({ baseUrl: router.baseUrl, key: fixture.key, model: fixture.name });
    expect(await stream.ended).toBe('ended');
    expect(stream.text().endsWith('data: [DONE]\n\n')).toBe(true);
  }
}

async function restart(services: readonly ServiceName[]): Promise<void> {
  for (const service of services) await stack.startService(service);
}

async function pids(): Promise<number[]> {
  return Promise.all(fixture.routers.map(async (router) => (await router.status()).pid));
}

/** A new key works on every router, without any of them having restarted. */
async function expectConvergence(before: readonly number[]): Promise<void> {
  const issued = await eventually(() => fixture.manager.issueKey(fixture.projectId, [fixture.name]), {
    timeoutMs: 60_000,
    intervalMs: 250,
  });
  for (const router of fixture.routers)
    await eventually(async () => expect((await router.chat(issued.key, fixture.name)).status).toBe(200), {
      timeoutMs: 60_000,
    });
  await fixture.manager.revokeKey(issued.id);
  expect(await pids()).toEqual(before);
}

describe('the router while a dependency is away', () => {
  it.each<[string, readonly ServiceName[]]>([
    ['the manager', ['manager']],
    ['the coordinator', ['coordinator']],
    ['Redis', ['redis']],
    ['PostgreSQL', ['postgres']],
    ['everything', ['manager', 'coordinator', 'redis', 'postgres']],
  ])(
    'serves without %s, and everything converges when it is back',
    async (_name, services) => {
      const before = await pids();
      const client = new SteadyClient(fixture, { followsReadiness: false, lanes: 2 });
      for (const service of services) await stack.stopService(service);
      await expectServing();
      await client.untilMore(50);
      await restart([...services].reverse());
      await expectServing();
      await expectConvergence(before);
      await client.stop();
      expect(client.failures).toEqual([]);
    },
    180_000,
  );

  it('a change made while the coordinator is away is deferred, not lost', async () => {
    await stack.stopService('coordinator');
    const issued = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
    expect(issued.propagation?.status).toBe('deferred');
    expect((await fixture.router.chat(issued.key, fixture.name)).status).toBe(401);
    await stack.startService('coordinator');
    for (const router of fixture.routers)
      await eventually(async () => expect((await router.chat(issued.key, fixture.name)).status).toBe(200), {
        timeoutMs: 60_000,
      });
    await fixture.manager.revokeKey(issued.id);
  }, 120_000);
});

describe('a router that starts while the coordinator is away', () => {
  it('says not_ready with Retry-After, then serves without a restart', async () => {
    const router = fixture.routers[1] ?? fixture.router;
    await stack.stopService('router-2');
    await stack.stopService('coordinator');
    // The command waits until the service is ready, which it cannot be yet.
    const starting = stack.startService('router-2');
    const refused = await eventually<Answer<OpenAiError>>(() => router.chat(fixture.key, fixture.name), {
      timeoutMs: 30_000,
    });
    expect({ status: refused.status, code: refused.json.error.code }).toEqual({
      status: 503,
      code: 'not_ready',
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await router.readyStatus()).toBe(503);
    await stack.startService('coordinator');
    await eventually(async () => expect((await router.chat(fixture.key, fixture.name)).status).toBe(200), {
      timeoutMs: 60_000,
    });
    await eventually(async () => expect(await router.readyStatus()).toBe(200));
    await starting;
  }, 180_000);
});
