import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { readTraceparent } from '../traceparent.js';
import type { AppProxyEvent } from './event.js';
import { EVENT_READERS } from './event-schemas.js';
import { unpackStrings } from './msgpack.js';

/** What the sender said about the cause of an event; each peer generation has its own keys, so all are optional. */
export type EnvelopeMetadata = Readonly<Record<string, unknown>>;

export type DecodedEnvelope =
  | {
      readonly ok: true;
      readonly event: AppProxyEvent;
      readonly source: string;
      readonly metadata: EnvelopeMetadata;
      readonly traceparent?: string | undefined;
    }
  | { readonly ok: false; readonly kind: 'unknown-event' | 'malformed'; readonly reason: string };

/** Longest envelope worth decoding, in UTF-16 units; a channel is shared and anyone may write to it. */
export const ENVELOPE_LENGTH_MAX = 32 * 1024 * 1024;

class Malformed extends Error {}

/**
 * Reads an envelope of any generation: `payload` where there is one, else `args`. Never throws; a message that does
 * not decode says why, and one with a foreign name is told apart because that is no fault.
 */
export function decodeEnvelope(text: string): DecodedEnvelope {
  try {
    return decode(text);
  } catch (error) {
    return { ok: false, kind: 'malformed', reason: reasonOf(error) };
  }
}

function decode(text: string): DecodedEnvelope {
  if (text.length > ENVELOPE_LENGTH_MAX) throw new Malformed('envelope is too long');
  const envelope = parseObject(text, 'envelope');
  const name = stringAt(envelope, 'name');
  const source = stringAt(envelope, 'source');
  const metadata = readMetadata(envelope['metadata']);
  const reader = EVENT_READERS.get(name);
  if (reader === undefined) {
    return { ok: false, kind: 'unknown-event', reason: `no handler for ${name.slice(0, 100)}` };
  }
  const event = reader.parse(readBody(envelope, reader.tuples));
  const traceparent = readTraceparent(envelope['traceparent']) ?? readTraceparent(metadata['traceparent']);
  return { ok: true, event, source, metadata, traceparent };
}

type Tuples = readonly (readonly { readonly field: string; readonly json?: true }[])[];

function readBody(envelope: Readonly<Record<string, unknown>>, tuples: Tuples): unknown {
  if (envelope['payload'] != null) return parseObject(stringAt(envelope, 'payload'), 'payload');
  const [authority, ...values] = unpackStrings(Buffer.from(stringAt(envelope, 'args'), 'base64'));
  const fields = tuples.find((tuple) => tuple.length === values.length);
  if (fields === undefined || authority === undefined) throw new Malformed('args has the wrong length');
  const entries = fields.map(({ field, json }, index) => {
    const value = values[index] ?? '';
    return [field, json === true ? parseJson(value, field) : value] as const;
  });
  return { authority, ...Object.fromEntries(entries) };
}

function readMetadata(value: unknown): EnvelopeMetadata {
  if (value == null) return {};
  if (typeof value !== 'string') throw new Malformed('metadata is not a JSON string');
  return parseObject(value, 'metadata');
}

function stringAt(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = object[key];
  if (typeof value !== 'string') throw new Malformed(`${key} is missing or not a string`);
  return value;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed(`${what} is not JSON`);
  }
}

function parseObject(text: string, what: string): Record<string, unknown> {
  const value = parseJson(text, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Malformed(`${what} is not a JSON object`);
  }
  return value as Record<string, unknown>;
}

/** Names the place of the first fault, never a value: payloads are not for logs. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const issue = error.issues[0];
    return issue === undefined ? 'invalid' : `${issue.path.join('.')}: ${issue.code}`;
  }
  return error instanceof Error ? error.message : 'unreadable';
}
