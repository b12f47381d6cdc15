import { jsonKey, scanJsonObject, type JsonMember } from './scan-json.js';
import { eventEnds } from './sse-boundary.js';
import type { EventFilter } from './sse-gate.js';
import { readUsage, type TokenUsage } from './token-usage.js';

const USAGE_TOKEN = Buffer.from('"usage"');
const DATA_PREFIX = Buffer.from('data:');
const KEYS = [jsonKey('usage'), jsonKey('choices')];

/**
 * Reads token usage off a stream, and takes back out what only our `stream_options.include_usage` put in: the usage
 * chunk and each `"usage":null`. Everything else passes as the same bytes. Only events that hold the text `"usage"`
 * are looked at, so the common event costs one native search.
 */
export class UsageFilter implements EventFilter {
  usage: TokenUsage | null = null;

  /** @param strip - true when the caller did not ask for usage */
  constructor(private readonly strip: boolean) {}

  apply(events: Buffer): Buffer | null {
    if (!events.includes(USAGE_TOKEN)) return events;
    const kept: Buffer[] = [];
    let start = 0;
    let changed = false;
    for (const end of eventEnds(events)) {
      const event = events.subarray(start, end);
      const out = event.includes(USAGE_TOKEN) ? this.event(event) : event;
      changed ||= out !== event;
      if (out !== null) kept.push(out);
      start = end;
    }
    if (!changed) return events;
    return kept.length === 0 ? null : Buffer.concat(kept);
  }

  private event(event: Buffer): Buffer | null {
    const data = dataLine(event);
    if (data === null) return event;
    const json = event.subarray(data.start, data.end);
    const scan = scanJsonObject(json, KEYS);
    const usage = scan.ok ? scan.members[0] : undefined;
    if (!scan.ok || usage === undefined) return event;
    if (json[usage.valueStart] === 0x6e) return this.strip ? without(event, data.start, json, usage) : event;
    this.usage = readUsage(json.subarray(usage.valueStart, usage.valueEnd)) ?? this.usage;
    return this.strip && isEmptyArray(json, scan.members[1]) ? null : event;
  }
}

/** The one `data:` line of an event; null when it has none or several. */
function dataLine(event: Buffer): { readonly start: number; readonly end: number } | null {
  let found: { start: number; end: number } | null = null;
  let start = 0;
  while (start < event.length) {
    let end = start;
    while (end < event.length && event[end] !== 0x0a && event[end] !== 0x0d) end += 1;
    if (event.subarray(start, start + DATA_PREFIX.length).equals(DATA_PREFIX)) {
      if (found !== null) return null;
      found = { start: start + DATA_PREFIX.length, end };
    }
    start = end + 1;
  }
  return found;
}

/** The event without one member, and without the one comma that only this member needed. */
function without(event: Buffer, offset: number, json: Buffer, member: JsonMember): Buffer {
  let start = previous(json, member.keyStart);
  let end = member.valueEnd;
  if (json[start] !== 0x2c) {
    start = member.keyStart;
    const after = next(json, end);
    end = json[after] === 0x2c ? next(json, after + 1) : end;
  }
  return Buffer.concat([event.subarray(0, offset + start), event.subarray(offset + end)]);
}

function isEmptyArray(json: Buffer, member: JsonMember | undefined): boolean {
  if (member === undefined || json[member.valueStart] !== 0x5b) return false;
  return next(json, member.valueStart + 1) === member.valueEnd - 1;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Offset of the last byte before `at` that is not white space. */
function previous(json: Buffer, at: number): number {
  let index = at - 1;
  while (isSpace(json[index])) index -= 1;
  return index;
}

/** Offset of the first byte from `at` on that is not white space. */
function next(json: Buffer, at: number): number {
  let index = at;
  while (isSpace(json[index])) index += 1;
  return index;
}
