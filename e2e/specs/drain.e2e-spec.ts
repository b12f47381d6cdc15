import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { ModelFixture } from '../support/model-fixture.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { openStream } from '../support/sse-reader.ts';
import { SteadyClient } from '../support/steady-client.ts';

const STREAMS = 50;
const stack = sharedStack();
let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [
    { ratio: 1, replicas: 1, behaviour: { tokens: 60, interTokenMs: 100 } },
  ]);
});
afterAll(() => fixture.stop());

describe('SIGTERM', () => {
  it(`lets ${STREAMS} live streams finish; readiness fails first, and answers ask to reconnect`, async () => {
    const router = fixture.router;
    const target = { baseUrl: router.baseUrl, key: fixture.key, model: fixture.name };
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(target)));
    const stopping = stack.stopService('router-1');
    await eventually(async () => expect(await router.readyStatus()).toBe(503));
    const late = await router.chat(fixture.key, fixture.name, { max_tokens: 1 });
    expect([late.status, late.headers['connection']]).toEqual([200, 'close']);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(Array(STREAMS).fill('ended'));
    for (const stream of streams) expect(stream.text().endsWith('data: [DONE]\n\n')).toBe(true);
    await stopping;
    expect(await router.readyStatus()).toBe(0);
    await stack.startService('router-1');
  }, 120_000);
});

describe('a rolling restart of two instances', () => {
  it('fails no request of a client that follows /readyz', async () => {
    await fixture.deployments[0]?.admins[0]?.behave({ inter_token_ms: 2, tokens: 10 });
    const client = new SteadyClient(fixture, { followsReadiness: true, lanes: 4 });
    for (const service of ['router-1', 'router-2'] as const) {
      await stack.stopService(service);
      await stack.startService(service);
      await client.untilMore(20);
    }
    await client.stop();
    expect(client.failures).toEqual([]);
    expect(client.served).toBeGreaterThan(100);
  }, 180_000);
});
