import { expect, it } from '@jest/globals';
import { decodeEnvelope, encodeEnvelope, EVENT_SOURCES } from '@penstock/protocol';
import { loadVectors } from '../checking/vectors.js';
import { at, put, textAt } from '../checking/json.js';
import { readMessage, writeMessage } from './bus-message.js';

const source = EVENT_SOURCES.coordinator;

function envelope(): string {
  const text = textAt(loadVectors('events-circuit'), 'events.0.envelope_dual');
  const decoded = decodeEnvelope(text);
  if (!decoded.ok) throw new Error(decoded.reason);
  return encodeEnvelope(decoded.event, { source });
}

it('rewrites a field in both encodings of an envelope', () => {
  const text = envelope();
  const message = readMessage(text);
  if (!message) throw new Error('no message');
  put(message.payload, 'circuits.0.app', 'another');
  const { payload, ...tuple } = JSON.parse(writeMessage(message, text)) as Record<string, string>;
  for (const body of [tuple, { ...tuple, args: undefined, payload }]) {
    const decoded = decodeEnvelope(JSON.stringify(body));
    expect(decoded).toMatchObject({ ok: true, event: { circuits: [{ app: 'another' }] } });
  }
});

it('leaves an envelope that nobody touched as it was', () => {
  const text = envelope();
  const message = readMessage(text);
  expect(message && writeMessage(message, text)).toBe(text);
  expect(at(message?.payload, 'circuits.0.id')).toBeDefined();
});

it.each(['nonsense', '[]', '{"name":"x"}', '{"name":"x","payload":"[]"}'])('%s is no message', (text) => {
  expect(readMessage(text)).toBeUndefined();
});
