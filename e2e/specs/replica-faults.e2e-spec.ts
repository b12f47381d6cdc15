import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { ModelFixture } from '../support/model-fixture.ts';
import type { ReplicaAdmin } from '../support/replica-admin.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { openStream } from '../support/sse-reader.ts';

const stack = sharedStack();
let fixture: ModelFixture;
let faulty: ReplicaAdmin;
let healthy: ReplicaAdmin;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 2 }]);
  const [first, second] = fixture.deployments[0]?.admins ?? [];
  if (first === undefined || second === undefined) throw new Error('two replicas are needed');
  [faulty, healthy] = [first, second];
});
afterEach(async () => {
  await Promise.all([faulty, healthy].map((admin) => admin.reset()));
  // Until the router trusts the replica again, the next test would not meet its fault.
  await eventually(
    async () => {
      await call();
      expect((await faulty.inferenceCalls()).length).toBeGreaterThan(0);
    },
    { timeoutMs: 60_000 },
  );
  await Promise.all([faulty, healthy].map((admin) => admin.reset()));
});
afterAll(() => fixture.stop());

function call(extra: object = {}) {
  return fixture.router.chat(fixture.key, fixture.name, extra);
}

/** Calls until the faulty replica was met; every call on the way must succeed. */
async function callUntilMet(extra: object = {}): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    const answer = await call(extra);
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
      status: 200,
      text: '',
    });
    if ((await faulty.inferenceCalls()).some(({ fault }) => fault !== null)) return;
  }
  throw new Error('60 calls never met the faulty replica');
}

describe('another replica answers when one', () => {
  it('refuses connections', async () => {
    await faulty.fault({ kind: 'refuse' });
    for (let turn = 0; turn < 20; turn += 1) expect((await call()).status).toBe(200);
    expect(await healthy.inferenceCalls()).toHaveLength(20);
  });

  it('answers 503', async () => {
    await faulty.fault({ kind: 'status', status: 503, times: 1 });
    await callUntilMet();
  });

  it('is cut before the first byte', async () => {
    await faulty.fault({ kind: 'cut_before_first_byte', times: 1 });
    await callUntilMet();
  });

  it('is cut before the first byte of a stream', async () => {
    await faulty.fault({ kind: 'cut_after_head', times: 1 });
    await callUntilMet({ stream: true });
  });

  it('hangs and sends no headers', async () => {
    await faulty.fault({ kind: 'hang', times: 1 });
    await callUntilMet();
  }, 60_000);

  it('sends bytes that are no HTTP', async () => {
    await faulty.fault({ kind: 'malformed', what: 'http', times: 1 });
    await callUntilMet();
  });
});

describe('a stream cut after its first event', () => {
  it('gives the client what was sent, then an error event and no [DONE]', async () => {
    await Promise.all(
      [faulty, healthy].map((admin) => admin.fault({ kind: 'cut_mid_stream', after_events: 3, times: 1 })),
    );
    const stream = await openStream({
      baseUrl: fixture.router.baseUrl,
      key: fixture.key,
      model: fixture.name,
    });
    await stream.ended;
    const events = stream.text().split('\n\n').filter(Boolean);
    expect(events).toHaveLength(4);
    expect(events.slice(0, 3).every((event) => event.includes('"choices":'))).toBe(true);
    expect(events[3]).toMatch(/^(event: error\n)?data: \{"error":\{"message":/);
    expect(stream.text()).not.toContain('[DONE]');
  });
});

describe("answers that are the caller's business", () => {
  it('are relayed as they are, without trying elsewhere', async () => {
    await Promise.all(
      [faulty, healthy].map((admin) => admin.fault({ kind: 'status', status: 400, times: 1 })),
    );
    expect((await call()).status).toBe(400);
    const seen = await Promise.all([faulty, healthy].map((admin) => admin.inferenceCalls()));
    expect(seen.flat()).toHaveLength(1);
  });
});
