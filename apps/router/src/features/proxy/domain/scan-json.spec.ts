import { describe, expect, it } from '@jest/globals';
import { jsonKey, scanJsonObject } from './scan-json.js';

const WANTED = [jsonKey('model'), jsonKey('stream')];

function scan(text: string) {
  return scanJsonObject(Buffer.from(text), WANTED);
}

function valueOf(text: string, index: number): string | undefined {
  const result = scan(text);
  if (!result.ok) return undefined;
  const member = result.members[index];
  return member && Buffer.from(text).toString('utf8', member.valueStart, member.valueEnd);
}

function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Small deterministic generator, so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function randomValue(random: () => number, depth: number): unknown {
  const strings = ['model', 'a"b', 'ünï', '한국어', '🙂', '\n\t', 'x'.repeat(40), '', '\\', '{"model":1}'];
  const text = () => strings[Math.floor(random() * strings.length)];
  switch (Math.floor(random() * (depth > 3 ? 5 : 7))) {
    case 0:
      return text();
    case 1:
      return random() * 1e6 - 5e5;
    case 2:
      return Math.floor(random() * 100) * 10 ** Math.floor(random() * 40 - 20);
    case 3:
      return random() < 0.5;
    case 4:
      return null;
    case 5:
      return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth + 1));
    default:
      return randomObject(random, depth + 1);
  }
}

function randomObject(random: () => number, depth: number): Record<string, unknown> {
  const keys = ['model', 'stream', 'Model', 'messages', 'né', 'a.b', ''];
  const entries = Array.from({ length: Math.floor(random() * 5) }, () => [
    keys[Math.floor(random() * keys.length)],
    randomValue(random, depth),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

describe('scanJsonObject', () => {
  it('reports where top-level members are and ignores nested ones', () => {
    const text = '{ "messages":[{"model":"inner"}] , "model" : "outer","stream":true }';
    expect(valueOf(text, 0)).toBe('"outer"');
    expect(valueOf(text, 1)).toBe('true');
  });

  it('finds a key in its escaped spelling', () => {
    expect(valueOf('{"mod\\u0065l":"m"}', 0)).toBe('"m"');
  });

  it('names a repeated key and reports its last value', () => {
    const result = scan('{"model":"a","mod\\u0065l":"b"}');
    expect(result).toMatchObject({ ok: true, duplicate: 'model' });
    expect(valueOf('{"model":"a","model":"b"}', 0)).toBe('"b"');
  });

  it.each([
    '',
    '[]',
    '"x"',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{"a":1}x',
    '{"a":01}',
    '{"a":1.}',
    '{"a":-}',
    '{"a":1e}',
    '{"a":tru}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\n"}',
    '{a:1}',
    "{'a':1}",
    '{"a":[1,]}',
    '{"a":[1}',
    '{"a":NaN}',
    '{"a" 1}',
    '\uFEFF{}',
    '{}{}',
  ])('refuses %j like JSON.parse', (text) => {
    expect(parses(text)).toBe(false);
    expect(scan(text).ok).toBe(false);
  });

  it('refuses nesting no reader should follow', () => {
    expect(scan(`{"a":${'['.repeat(511)}${']'.repeat(511)}}`).ok).toBe(true);
    expect(scan(`{"a":${'['.repeat(512)}${']'.repeat(512)}}`)).toMatchObject({ ok: false });
  });

  it('costs no more per byte for many small members than for few large ones', () => {
    const many = `{${'"a":1,'.repeat(700_000)}"model":"m"}`;
    const startedAt = performance.now();
    expect(valueOf(many, 0)).toBe('"m"');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('agrees with JSON.parse on random objects and on what random damage makes of them', () => {
    const random = generator(20_261_129);
    for (let round = 0; round < 20_000; round += 1) {
      const value = randomObject(random, 0);
      const text = JSON.stringify(value, null, random() < 0.3 ? 1 : undefined);
      expect(valueOf(text, 0)).toBe(nested(text, value, 'model'));
      const damaged = damage(text, random);
      if (scan(damaged).ok !== parses(damaged)) throw new Error(`disagreement on ${damaged}`);
    }
  });
});

function nested(text: string, value: Record<string, unknown>, key: string): string | undefined {
  if (!(key in value)) return undefined;
  const compact = JSON.stringify(value[key]);
  const found = valueOf(text, 0);
  return found !== undefined && JSON.stringify(JSON.parse(found)) === compact ? found : compact;
}

function damage(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const pieces = ['"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', 'e', '.', ' ', 't', '\u0001', ''];
  const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
  return text.slice(0, at) + piece + text.slice(at + Math.floor(random() * 3));
}
