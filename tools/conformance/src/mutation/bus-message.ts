import { isObject, type Json, type JsonObject, parseJson } from '../checking/json.js';
import type { BusMessage } from './mutation.js';

/** Fields of an event in the order of its tuple; fields marked with `+` are JSON texts in it. */
const TUPLES: Readonly<Record<string, readonly string[]>> = {
  appproxy_circuit_created_event: ['+circuits'],
  appproxy_circuit_removed_event: ['+circuits'],
  appproxy_circuit_route_updated_event: ['+circuit', '+routes'],
  appproxy_worker_circuit_added_event: ['+circuits'],
  appproxy_router_model_updated_event: ['+model'],
  appproxy_router_model_removed_event: ['model_name'],
  appproxy_router_key_updated_event: ['key_id'],
  appproxy_router_key_removed_event: ['key_id'],
};

/** The message as a mutation sees it; `undefined` for text that is no envelope with a payload. */
export function readMessage(text: string): BusMessage | undefined {
  const envelope = parseJson(text);
  if (!isObject(envelope) || typeof envelope['name'] !== 'string') return undefined;
  const payload = typeof envelope['payload'] === 'string' ? parseJson(envelope['payload']) : undefined;
  return isObject(payload) ? { name: envelope['name'], payload, envelope, dropped: false } : undefined;
}

/** The text to pass on. Fields that were changed are changed in both encodings, as the sender would. */
export function writeMessage({ name, payload, envelope }: BusMessage, original: string): string {
  const before = readMessage(original);
  if (before && JSON.stringify(before.payload) !== JSON.stringify(payload)) {
    envelope['payload'] = JSON.stringify(payload);
    if ('args' in envelope) envelope['args'] = packTuple(tupleOf(name, payload)).toString('base64');
  }
  return JSON.stringify(envelope);
}

function tupleOf(name: string, payload: JsonObject): string[] {
  const fields = TUPLES[name] ?? [];
  return [
    asText(payload['target_worker_authority']),
    ...fields.map((field) =>
      field.startsWith('+') ? JSON.stringify(payload[field.slice(1)] ?? null) : asText(payload[field]),
    ),
  ];
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** msgpack of an array of at most 15 texts. */
function packTuple(texts: readonly string[]): Buffer {
  const parts = texts.map((text) => {
    const bytes = Buffer.from(text, 'utf8');
    const head = Buffer.alloc(5);
    head.writeUInt8(0xdb, 0);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([Buffer.from([0x90 | texts.length]), ...parts]);
}
