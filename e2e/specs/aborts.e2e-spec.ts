import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';
import type { SeenRequest } from '@penstock/replica-simulator';

import { note, SLACK } from '../support/figures.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import type { ReplicaAdmin } from '../support/replica-admin.ts';
import { ProcessProbe, type Resources } from '../support/process-probe.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { openCall, openStream } from '../support/sse-reader.ts';

/** From the client's close to the replica's. */
const CLOSE_MS = 250;
const STREAMS = 1_000;
const stack = sharedStack();
let fixture: ModelFixture;
let admin: ReplicaAdmin;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1, behaviour: { tokens: 2_000 } }]);
  const [first] = fixture.deployments.flatMap(({ admins }) => admins);
  if (first === undefined) throw new Error('no replica');
  admin = first;
});
afterAll(() => fixture.stop());

function target(extra: object = {}) {
  return { baseUrl: fixture.router.baseUrl, key: fixture.key, model: fixture.name, extra };
}

async function lastCall(): Promise<SeenRequest> {
  const calls = await admin.inferenceCalls();
  const last = calls.at(-1);
  if (last === undefined) throw new Error('the replica has seen no call yet');
  return last;
}

async function expectClosedSince(abortedAt: number): Promise<void> {
  const closedAt = await eventually(async () => {
    const { aborted, socket_closed_at_ms } = await lastCall();
    if (!aborted || socket_closed_at_ms === null) throw new Error('the replica still works for nobody');
    return socket_closed_at_ms;
  });
  note(`closed after ${closedAt - abortedAt} ms`);
  expect(closedAt - abortedAt).toBeLessThanOrEqual(CLOSE_MS * SLACK);
}

describe('a client that leaves', () => {
  it('in the middle of a stream frees the replica at once', async () => {
    await admin.behave({ ttft_ms: 0, inter_token_ms: 20 });
    const stream = await openStream(target());
    await eventually(() => expect(stream.arrivals.length).toBeGreaterThan(3));
    await expectClosedSince(stream.abort());
  });

  it('before the first token frees the replica at once', async () => {
    await admin.reset();
    await admin.behave({ ttft_ms: 60_000 });
    const call = openCall(target());
    call.on('error', () => undefined);
    await eventually(lastCall);
    call.destroy();
    await expectClosedSince(Date.now());
  });

  it('during a call that is not streamed frees the replica at once', async () => {
    await admin.reset();
    await admin.behave({ ttft_ms: 2_000 });
    const call = openCall(target({ stream: false }));
    call.on('error', () => undefined);
    await eventually(lastCall);
    call.destroy();
    await expectClosedSince(Date.now());
  });

  it(`leaves nothing behind, ${STREAMS} times over`, async () => {
    await admin.reset();
    await admin.behave({ ttft_ms: 0, inter_token_ms: 10 });
    const { pid } = await fixture.router.status();
    const probe = await ProcessProbe.attach(pid);
    try {
      await expectNothingLeft(probe);
    } finally {
      await probe.detach();
    }
    expect((await fixture.router.status()).in_flight).toBe(0);
  }, 120_000);
});

async function expectNothingLeft(probe: ProcessProbe): Promise<void> {
  await abortStreams(STREAMS);
  const before = await settled(probe);
  await abortStreams(STREAMS);
  await eventually(async () => expectNoMore(await probe.resources(), before), {
    timeoutMs: 5_000 * SLACK,
    intervalMs: 500,
  });
  const after = await probe.heapAfterCollections();
  note(`heap ${(before.heapBytes / 1e6).toFixed(1)} -> ${(after / 1e6).toFixed(1)} MB`);
  expect(after - before.heapBytes).toBeLessThanOrEqual(5 * 1024 * 1024);
}

function expectNoMore(now: Resources, before: Resources): void {
  note(
    `sockets ${before.sockets} -> ${now.sockets}, timers ${before.timers} -> ${now.timers}, ` +
      `all timers ${before.allTimers} -> ${now.allTimers}`,
  );
  expect(now.sockets).toBeLessThanOrEqual(before.sockets);
  expect(Math.abs(now.timers - before.timers)).toBeLessThanOrEqual(2);
  expect(now.allTimers - before.allTimers).toBeLessThanOrEqual(2);
}

/** Opens streams fifty at a time and leaves each after its first event. */
async function abortStreams(count: number): Promise<void> {
  for (let done = 0; done < count; done += 50) {
    const streams = await Promise.all(Array.from({ length: 50 }, () => openStream(target())));
    for (const stream of streams) stream.abort();
    await Promise.all(streams.map(({ ended }) => ended));
  }
  await eventually(async () => expect((await admin.stats()).active).toBe(0));
}

async function settled(probe: ProcessProbe) {
  return { ...(await probe.resources()), heapBytes: await probe.heapAfterCollections() };
}
