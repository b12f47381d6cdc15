import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { acceptanceCases, recordedEvents, type RecordedEvent } from '../../fixtures/recorded-events.js';
import { decodeEnvelope } from './decode-envelope.js';
import { encodeEnvelope } from './encode-envelope.js';
import { EVENT_NAMES, type AppProxyEvent } from './event.js';
import { packStrings, unpackStrings } from './msgpack.js';

function decoded(text: string): AppProxyEvent {
  const result = decodeEnvelope(text);
  if (!result.ok) throw new Error(result.reason);
  return result.event;
}

describe.each(recordedEvents)('$case', (example) => {
  const { source } = example;

  it('packs its tuple to the very bytes the peers pack', () => {
    const packed = packStrings(example.args);
    expect(packed.toString('hex')).toBe(example.args_msgpack_hex);
    expect(packed.toString('base64')).toBe(example.args_base64);
    expect(unpackStrings(packed)).toEqual(example.args);
  });

  it('means the same in every generation of the envelope', () => {
    const event = decoded(example.envelope_dual);
    expect(decoded(example.envelope_A_tuple)).toStrictEqual(event);
    expect(decoded(example.envelope_B_tuple_26_8)).toStrictEqual(event);
    expect(decoded(example.envelope_C_json)).toStrictEqual(event);
  });

  it('is encoded to the bytes of each mode', () => {
    const event = decoded(example.envelope_C_json);
    expect(encodeEnvelope(event, { source })).toBe(example.envelope_dual);
    expect(encodeEnvelope(event, { source, mode: 'dual' })).toBe(example.envelope_dual);
    expect(encodeEnvelope(event, { source, mode: 'tuple' })).toBe(example.envelope_A_tuple);
    expect(encodeEnvelope(event, { source, mode: 'json' })).toBe(example.envelope_C_json);
  });

  it('carries the payload the peers print', () => {
    const envelope = JSON.parse(encodeEnvelope(decoded(example.envelope_dual), { source })) as RecordedEvent;
    expect(envelope.payload).toBe(example.payload);
  });
});

describe('decodeEnvelope', () => {
  it.each(acceptanceCases)('takes $name if any release does', ({ envelope, accepted_by }) => {
    const result = decodeEnvelope(envelope);
    if (Object.values(accepted_by).includes(true)) expect(result.ok).toBe(true);
  });

  it.each(['metadata-as-object', 'missing-name', 'missing-source'])(
    'refuses %s as every release does',
    (name) => {
      const example = acceptanceCases.find((candidate) => candidate.name === name);
      expect(decodeEnvelope(example?.envelope ?? '')).toMatchObject({ ok: false, kind: 'malformed' });
    },
  );

  it('tells a foreign event from a broken one', () => {
    const text = JSON.stringify({ name: 'do_check_worker_lost', source: 'x', payload: '{}' });
    expect(decodeEnvelope(text)).toMatchObject({ ok: false, kind: 'unknown-event' });
  });
});

describe('additive fields', () => {
  const authority = 'router-seoul-1';

  it('carry the revision in the payload and leave the tuple alone', () => {
    const event: AppProxyEvent = {
      name: EVENT_NAMES.routerKeyRemoved,
      authority,
      key_id: 'k',
      revision: '7',
    };
    expect(decoded(encodeEnvelope(event, { source: 's' }))).toStrictEqual(event);
    const tuple = decoded(encodeEnvelope(event, { source: 's', mode: 'tuple' }));
    expect(tuple).toStrictEqual({ name: event.name, authority, key_id: 'k' });
  });

  it('carry the trace context outside the metadata, where every release ignores it', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const event: AppProxyEvent = { name: EVENT_NAMES.routerKeyUpdated, authority, key_id: 'k' };
    for (const mode of ['tuple', 'json', 'dual'] as const) {
      const text = encodeEnvelope(event, { source: 's', mode, traceparent });
      expect(decodeEnvelope(text)).toMatchObject({ ok: true, traceparent });
    }
    expect(encodeEnvelope(event, { source: 's', traceparent })).toContain(
      String.raw`"metadata":"{\"request_id\":null,\"user\":null}"`,
    );
  });

  it('reads the trace context of a 26.9 peer from its metadata', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const text = JSON.stringify({
      name: EVENT_NAMES.routerKeyUpdated,
      source: 's',
      payload: JSON.stringify({ target_worker_authority: authority, key_id: 'k' }),
      metadata: JSON.stringify({ traceparent }),
    });
    expect(decodeEnvelope(text)).toMatchObject({ ok: true, traceparent, event: { authority } });
  });

  it('reads the three-element ack of an early draft without a node', () => {
    const args = packStrings([authority, 'key', 'key-7f3a']).toString('base64');
    const text = JSON.stringify({ name: EVENT_NAMES.routerConfigApplied, source: 's', args });
    expect(decoded(text)).toMatchObject({ node_id: null, kind: 'key', id: 'key-7f3a' });
    expect(encodeEnvelope(decoded(text), { source: 's', mode: 'tuple' })).toContain(args);
  });
});

describe('hostile input', () => {
  const name = EVENT_NAMES.routerKeyUpdated;
  const packed = (bytes: readonly number[]) => Buffer.from(bytes).toString('base64');

  it.each([
    ['empty text', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['numbers for strings', '{"name":1,"source":2}'],
    ['no body', JSON.stringify({ name, source: 's' })],
    ['a payload that is no JSON', JSON.stringify({ name, source: 's', payload: '{' })],
    ['a payload that is an array', JSON.stringify({ name, source: 's', payload: '[]' })],
    ['a payload object', JSON.stringify({ name, source: 's', payload: {} })],
    ['args of another type', JSON.stringify({ name, source: 's', args: packed([0x81, 0xa1, 0x61, 0xc0]) })],
    ['a tuple that ends early', JSON.stringify({ name, source: 's', args: packed([0x92, 0xa4, 0x61]) })],
    ['a tuple with a tail', JSON.stringify({ name, source: 's', args: packed([0x90, 0x90]) })],
    [
      'an array of 4 billion',
      JSON.stringify({ name, source: 's', args: packed([0xdd, 255, 255, 255, 255]) }),
    ],
    [
      'a string of 4 GB',
      JSON.stringify({ name, source: 's', args: packed([0x91, 0xdb, 255, 255, 255, 255]) }),
    ],
    [
      'bytes that are not UTF-8',
      JSON.stringify({ name, source: 's', args: packed([0x92, 0xa1, 0xff, 0xa1, 0x61]) }),
    ],
    ['too short a tuple', JSON.stringify({ name, source: 's', args: packStrings(['a']).toString('base64') })],
    ['metadata that is no JSON', JSON.stringify({ name, source: 's', payload: '{}', metadata: '{' })],
  ])('is refused with a reason: %s', (_what, text) => {
    const result = decodeEnvelope(text);
    expect(result).toMatchObject({ ok: false, kind: 'malformed' });
    expect(result.ok ? '' : result.reason).not.toBe('');
  });

  it('never quotes the message in its reason', () => {
    const payload = JSON.stringify({ authority: 'a', key_id: { secret: 'sk-canary' } });
    const result = decodeEnvelope(JSON.stringify({ name, source: 's', payload }));
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});
