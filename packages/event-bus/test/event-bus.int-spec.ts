import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEnvelope, EVENT_CHANNEL, EVENT_NAMES, type AppProxyEvent } from '@penstock/protocol';
import {
  eventually,
  startPrivateRedis,
  testRedisUrl,
  uniqueAuthority,
  type PrivateService,
} from '@penstock/testkit';
import { Redis } from 'ioredis';
import { createEventBus, type EventBus, type EventBusOptions, type EventMeta } from '../src/index.js';

const open: EventBus[] = [];
const lines: { fields: object; message: string }[] = [];
const logger = {
  info: () => undefined,
  warn: (fields: object, message: string) => void lines.push({ fields, message }),
};

function startBus(options: Partial<EventBusOptions> & { redisUrl: string }): EventBus {
  const bus = createEventBus({ source: 'appproxy-coordinator', logger, ...options });
  open.push(bus);
  bus.start();
  return bus;
}

/** Collects what arrives for one authority: the shared channel carries other tests' events as well. */
function inbox(bus: EventBus, authority: string) {
  const seen: { event: AppProxyEvent; meta: EventMeta }[] = [];
  bus.subscribe((event, meta) => {
    if (event.authority === authority) seen.push({ event, meta });
  });
  return seen;
}

function keyRemoved(authority: string, key_id = 'key-1'): AppProxyEvent {
  return { name: EVENT_NAMES.routerKeyRemoved, authority, key_id };
}

afterEach(async () => {
  lines.length = 0;
  await Promise.all(open.splice(0).map((bus) => bus.close()));
});

describe('with Redis up', () => {
  it.each(['tuple', 'json', 'dual'] as const)(
    'delivers a %s envelope to every listener',
    async (envelopeMode) => {
      const authority = uniqueAuthority();
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
      const [sender, first, second] = [
        startBus({ redisUrl: testRedisUrl(), envelopeMode }),
        startBus({ redisUrl: testRedisUrl() }),
        startBus({ redisUrl: testRedisUrl() }),
      ];
      const inboxes = [inbox(sender, authority), inbox(first, authority), inbox(second, authority)];
      await Promise.all([sender.ready(), first.ready(), second.ready()]);

      expect(await sender.publish(keyRemoved(authority), { traceparent })).toBe(true);

      await eventually(() => expect(inboxes.map((seen) => seen.length)).toEqual([1, 1, 1]));
      expect(inboxes[1]?.[0]?.event).toStrictEqual(keyRemoved(authority));
      expect(inboxes[1]?.[0]?.meta).toMatchObject({ source: 'appproxy-coordinator', traceparent });
      expect(sender.counts.published).toBe(1);
    },
  );

  it('ignores and counts what it cannot read, and goes on', async () => {
    const authority = uniqueAuthority();
    const channel = `${EVENT_CHANNEL}-${authority}`;
    const bus = startBus({ redisUrl: testRedisUrl(), channel });
    const seen = inbox(bus, authority);
    await bus.ready();
    const raw = new Redis(testRedisUrl());
    const name = EVENT_NAMES.routerKeyRemoved;
    for (const text of ['', '{', 'null', JSON.stringify({ name, source: 'x', args: '////' }), '\u0000'])
      await raw.publish(channel, text);
    await raw.publish(channel, JSON.stringify({ name: 'do_check_worker_lost', source: 'x', payload: '{}' }));
    await raw.publish(channel, encodeEnvelope(keyRemoved(authority), { source: 'x' }));
    raw.disconnect();

    await eventually(() => expect(seen).toHaveLength(1));
    expect(bus.counts).toMatchObject({ received: 7, malformed: 5, foreign: 1 });
    expect(lines.filter(({ message }) => message === 'ignored a malformed event')).toHaveLength(3);
  });

  it('survives handlers that throw and reject, and still serves the others', async () => {
    const authority = uniqueAuthority();
    const bus = startBus({ redisUrl: testRedisUrl() });
    const stop = bus.subscribe((event) => {
      if (event.authority === authority) throw new Error('sync');
    });
    bus.subscribe((event) =>
      event.authority === authority ? Promise.reject(new Error('async')) : undefined,
    );
    const seen = inbox(bus, authority);
    await bus.ready();
    await bus.publish(keyRemoved(authority));
    await eventually(() => expect(lines).toHaveLength(2));
    expect(seen).toHaveLength(1);

    stop();
    await bus.publish(keyRemoved(authority));
    await eventually(() => expect(seen).toHaveLength(2));
    expect(lines).toHaveLength(3);
  });

  it('publishes nothing before start and after close', async () => {
    const bus = createEventBus({ redisUrl: testRedisUrl(), source: 's', logger });
    expect(await bus.publish(keyRemoved('a'))).toBe(false);
    bus.start();
    await bus.ready();
    await bus.close();
    expect(bus.connected).toBe(false);
    expect(await bus.publish(keyRemoved('a'))).toBe(false);
  });
});

describe('with Redis going away', () => {
  let redis: PrivateService;

  beforeAll(async () => {
    redis = await startPrivateRedis();
  });
  afterAll(() => redis.dispose());

  it('refuses at once while it is away, queues nothing, and is back within seconds', async () => {
    const authority = uniqueAuthority();
    const bus = startBus({ redisUrl: redis.url });
    const seen = inbox(bus, authority);
    const states: boolean[] = [];
    bus.onState((connected) => states.push(connected));
    await bus.ready();

    await redis.stop();
    await eventually(() => expect(bus.connected).toBe(false));
    const asked = Date.now();
    expect(await bus.publish(keyRemoved(authority, 'lost'))).toBe(false);
    expect(Date.now() - asked).toBeLessThan(1_000);

    await redis.start();
    await eventually(() => expect(bus.connected).toBe(true));
    expect(await bus.publish(keyRemoved(authority, 'kept'))).toBe(true);
    await eventually(() => expect(seen).toHaveLength(1));
    expect(seen[0]?.event).toStrictEqual(keyRemoved(authority, 'kept'));
    expect(states).toEqual([true, false, true]);
    expect(bus.counts).toMatchObject({ published: 1, unpublished: 1 });
  });

  it('starts without Redis and connects when it comes', async () => {
    await redis.stop();
    const bus = startBus({ redisUrl: redis.url });
    const ready = bus.ready();
    await eventually(() => expect(lines).not.toHaveLength(0));
    expect(await bus.publish(keyRemoved('a'))).toBe(false);
    await redis.start();
    await ready;
    expect(bus.connected).toBe(true);
  });

  it('gives up on a Redis that hangs, and finds it again', async () => {
    const bus = startBus({ redisUrl: redis.url });
    await bus.ready();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      const asked = Date.now();
      expect(await bus.publish(keyRemoved('a'))).toBe(false);
      expect(Date.now() - asked).toBeLessThan(5_000);
      await eventually(() => expect(bus.connected).toBe(false), { timeoutMs: 15_000 });
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await eventually(() => expect(bus.connected).toBe(true), { timeoutMs: 15_000 });
  });
});
