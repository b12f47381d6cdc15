import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { ModelFixture, type DeploymentFixture } from '../support/model-fixture.ts';
import { addressOf } from '../support/replica-admin.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { openStream } from '../support/sse-reader.ts';

const stack = sharedStack();
let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [
    { ratio: 0.7, replicas: 1 },
    { ratio: 0.3, replicas: 3 },
  ]);
});
afterAll(() => fixture.stop());

/** Sends `count` calls over all routers, a few at a time; every one must succeed. */
async function send(count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const router = fixture.routers[left % fixture.routers.length] ?? fixture.router;
      const { status, text } = await router.chat(fixture.key, fixture.name, { max_tokens: 1 });
      if (status !== 200) throw new Error(`a call answered ${status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

async function callsPerReplica({ admins }: DeploymentFixture): Promise<number[]> {
  return Promise.all(admins.map(async (admin) => (await admin.inferenceCalls()).length));
}

async function callsPerDeployment(): Promise<number[]> {
  const perReplica = await Promise.all(fixture.deployments.map(callsPerReplica));
  return perReplica.map((counts) => counts.reduce((sum, count) => sum + count, 0));
}

async function forget(): Promise<void> {
  await Promise.all(fixture.deployments.flatMap(({ admins }) => admins.map((admin) => admin.reset())));
}

describe('two deployments at 0.7 and 0.3', () => {
  it('split 3,000 requests 70:30 within 3 points, whatever their number of replicas', async () => {
    await send(3_000);
    const [large = 0, small = 0] = await callsPerDeployment();
    expect(large + small).toBe(3_000);
    expect(Math.abs(large / 3_000 - 0.7)).toBeLessThan(0.03);
    const second = fixture.deployments[1];
    const perReplica = second === undefined ? [] : await callsPerReplica(second);
    for (const count of perReplica) expect(Math.abs(count / small - 1 / 3)).toBeLessThan(0.08);
  });

  it('ratio 0 drains: no new request, and a running stream finishes', async () => {
    await forget();
    const [first] = fixture.deployments;
    await fixture.setRatios([1, 0]);
    await first?.admins[0]?.behave({ tokens: 60, inter_token_ms: 100 });
    const stream = await openStream({
      baseUrl: fixture.router.baseUrl,
      key: fixture.key,
      model: fixture.name,
    });
    await eventually(() => expect(stream.arrivals.length).toBeGreaterThan(0));
    await fixture.setRatios([0, 1]);
    await send(200);
    expect(await callsPerDeployment()).toEqual([1, 200]);
    expect((await first?.admins[0]?.stats())?.active).toBe(1);
    expect(await stream.ended).toBe('ended');
    expect(stream.text().endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('a deployment that loses every replica leaves its share to the other', async () => {
    const [first] = fixture.deployments;
    await fixture.setRatios([0.7, 0.3]);
    await forget();
    await fixture.manager.replaceReplicas(first?.id ?? '', []);
    await eventually(async () => {
      await forget();
      await send(40);
      expect((await callsPerDeployment())[0]).toBe(0);
    });
    await send(200);
    expect((await callsPerDeployment())[0]).toBe(0);
    await fixture.manager.replaceReplicas(first?.id ?? '', first?.replicas.map(addressOf) ?? []);
    await eventually(async () => {
      await send(20);
      expect((await callsPerDeployment())[0]).toBeGreaterThan(0);
    });
  });
});
