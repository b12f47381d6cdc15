import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AppProxyEvent, EnvelopeMode } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { Redis } from 'ioredis';
import { acceptedBy } from '../../protocol/fixtures/peer-generations.js';
import { acceptanceCases, busMessages, recordedEvents } from '../../protocol/fixtures/recorded-events.js';
import { createEventBus, type EventBus } from '../src/index.js';

const logger = { info: () => undefined, warn: () => undefined };
/** Metadata keys that no peer knows cost a peer the message; here it is read all the same. */
const OURS_ALONE = 'metadata-extra-key';
const MODES: readonly EnvelopeMode[] = ['dual', 'tuple', 'json'];
/** A channel of this file's own: the recorded authorities are the same in every run. */
const channel = `events_all-${uniqueAuthority()}`;

let raw: Redis;
let listener: Redis;
const buses = new Map<EnvelopeMode, EventBus>();
const heard: AppProxyEvent[] = [];
const written: string[] = [];

function busOf(mode: EnvelopeMode): EventBus {
  const bus = buses.get(mode);
  if (bus === undefined) throw new Error(`no bus for ${mode}`);
  return bus;
}

beforeAll(async () => {
  raw = new Redis(testRedisUrl());
  listener = new Redis(testRedisUrl());
  listener.on('message', (_channel: string, text: string) => void written.push(text));
  await listener.subscribe(channel);
  for (const envelopeMode of MODES) {
    const redisUrl = testRedisUrl();
    const bus = createEventBus({ redisUrl, source: 'appproxy-worker', logger, channel, envelopeMode });
    buses.set(envelopeMode, bus);
    bus.start();
    await bus.ready();
  }
  busOf('dual').subscribe((event) => void heard.push(event));
});

afterAll(async () => {
  await Promise.all([...buses.values()].map((bus) => bus.close()));
  raw.disconnect();
  listener.disconnect();
});

beforeEach(() => {
  heard.length = 0;
  written.length = 0;
});

/** The event the bus hands out for a message as a peer would publish it. */
async function receive(text: string): Promise<AppProxyEvent> {
  heard.length = 0;
  await raw.publish(channel, text);
  return await eventually(() => {
    const [event] = heard;
    if (event === undefined) throw new Error('not heard yet');
    return event;
  });
}

/** What a bus puts on the channel for an event. */
async function publish(event: AppProxyEvent, mode: EnvelopeMode): Promise<string> {
  written.length = 0;
  expect(await busOf(mode).publish(event)).toBe(true);
  return await eventually(() => {
    const [text] = written;
    if (text === undefined) throw new Error('not published yet');
    return text;
  });
}

describe('through Redis', () => {
  it.each(recordedEvents)('understands $case of every generation, and is read by each', async (example) => {
    const event = await receive(example.envelope_dual);
    expect(await receive(example.envelope_A_tuple)).toStrictEqual(event);
    expect(await receive(example.envelope_B_tuple_26_8)).toStrictEqual(event);
    expect(await receive(example.envelope_C_json)).toStrictEqual(event);
    const texts = { dual: await publish(event, 'dual'), tuple: await publish(event, 'tuple') };
    expect(acceptedBy(texts.dual)).toEqual({ A: true, B: true, C: true });
    expect(acceptedBy(texts.tuple)).toEqual({ A: true, B: true, C: false });
    expect(acceptedBy(await publish(event, 'json'))).toEqual({ A: false, B: false, C: true });
    if (example.source === 'appproxy-worker') {
      expect(texts).toEqual({ dual: example.envelope_dual, tuple: example.envelope_A_tuple });
    }
  });

  it.each(busMessages)('understands $case as it ran between 26.9.6 peers', async ({ envelope }) => {
    const event = await receive(envelope);
    const { payload } = JSON.parse(await publish(event, 'json')) as { readonly payload: string };
    const recorded = JSON.parse(envelope) as { readonly name: string; readonly payload: string };
    expect(event.name).toBe(recorded.name);
    expect(JSON.parse(payload)).toEqual(JSON.parse(recorded.payload));
  });

  it.each(acceptanceCases)('reads $name if any generation does', async (example) => {
    const bus = busOf('dual');
    const before = bus.counts;
    await raw.publish(channel, example.envelope);
    await eventually(() => expect(bus.counts.received).toBe(before.received + 1));
    const byAnyPeer = Object.values(example.accepted_by).includes(true);
    expect(bus.counts.malformed === before.malformed).toBe(byAnyPeer || example.name === OURS_ALONE);
  });
});
