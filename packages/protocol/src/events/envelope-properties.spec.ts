import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { decodeEnvelope } from './decode-envelope.js';
import { encodeEnvelope } from './encode-envelope.js';
import { EVENT_NAMES, type AppProxyEvent } from './event.js';
import { packStrings, unpackStrings } from './msgpack.js';

const eventName = fc.constantFrom(...Object.values(EVENT_NAMES));
/** Text that UTF-8 can carry: the wire has no lone surrogates. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });

const routerEvent: fc.Arbitrary<AppProxyEvent> = fc.oneof(
  fc.record({
    name: fc.constant(EVENT_NAMES.routerKeyUpdated),
    authority: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    key_id: text,
  }),
  fc.record({
    name: fc.constant(EVENT_NAMES.routerModelUpdated),
    authority: fc.constant('router-seoul-1'),
    model: fc.record({
      model: text,
      aliases: fc.array(text, { maxLength: 5 }),
      mappings: fc.array(
        fc.record({
          endpoint_id: fc.uuid(),
          // JSON has no negative zero.
          ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((ratio) => ratio + 0),
        }),
        { maxLength: 5 },
      ),
      control_mode: fc.constant('manual'),
    }),
  }),
  fc.record({
    name: fc.constant(EVENT_NAMES.routerConfigApplied),
    authority: fc.constant('router-seoul-1'),
    node_id: fc.option(text),
    kind: fc.constantFrom('model_updated', 'key_removed', 'key'),
    id: text,
  }),
);

describe('the event codec', () => {
  it('gives back any event from any envelope', () => {
    const mode = fc.constantFrom('tuple', 'json', 'dual');
    fc.assert(
      fc.property(routerEvent, mode, (event, chosen) => {
        const result = decodeEnvelope(encodeEnvelope(event, { source: 's', mode: chosen }));
        expect(result).toMatchObject({ ok: true, event });
      }),
    );
  });

  it('packs and unpacks strings of every length class', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 40 }), (values) => {
        expect(unpackStrings(packStrings(values))).toEqual(values);
      }),
    );
    const long = ['', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(65_536)];
    expect(unpackStrings(packStrings(long))).toEqual(long);
    const many = Array.from({ length: 70_000 }, (_, index) => String(index));
    expect(unpackStrings(packStrings(many))).toEqual(many);
  });

  it('never throws, whatever arrives on the channel', () => {
    const body = fc.oneof(fc.json(), fc.base64String(), fc.string());
    const loose = fc.record(
      { name: eventName, source: fc.string(), args: body, payload: body, metadata: body },
      {
        requiredKeys: ['name', 'source'],
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          loose.map((value) => JSON.stringify(value)),
        ),
        (message) => {
          expect(typeof decodeEnvelope(message).ok).toBe('boolean');
        },
      ),
    );
  });

  it('never throws on bytes that pretend to be a tuple', () => {
    fc.assert(
      fc.property(eventName, fc.uint8Array({ maxLength: 64 }), (name, bytes) => {
        const args = Buffer.from(bytes).toString('base64');
        expect(typeof decodeEnvelope(JSON.stringify({ name, source: 's', args })).ok).toBe('boolean');
      }),
    );
  });
});
