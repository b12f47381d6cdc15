import { describe, expect, it } from '@jest/globals';
import { SseGate } from './sse-gate.js';
import { UsageFilter } from './usage-filter.js';

const NL = ['\n', '\r\n', '\r'] as const;

/** All that comes out when the bytes arrive in pieces of this size. */
function relay(
  bytes: Buffer,
  size: number,
  strip: boolean,
): { readonly out: string; readonly filter: UsageFilter } {
  const filter = new UsageFilter(strip);
  const gate = new SseGate(filter);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = gate.push(bytes.subarray(at, at + size));
    if (piece !== null) out.push(piece);
  }
  const rest = gate.end();
  if (rest !== null) out.push(rest);
  return { out: Buffer.concat(out).toString('utf8'), filter };
}

describe('the usage filter behind the gate', () => {
  it.each([
    ['{"a":1,"usage":null}', '{"a":1}'],
    ['{"a":1, "usage": null, "b":2}', '{"a":1, "b":2}'],
    ['{"usage":null,"b":2}', '{"b":2}'],
    ['{ "usage" : null }', '{  }'],
    ['{"x":{"usage":null},"usage":null}', '{"x":{"usage":null}}'],
    ['{"x":{"usage":null}}', '{"x":{"usage":null}}'],
    ['{"t":",\\"usage\\":null,"}', '{"t":",\\"usage\\":null,"}'],
    ['{"choices":[{}],"usage":{"total_tokens":1}}', '{"choices":[{}],"usage":{"total_tokens":1}}'],
    ['{"usage":{"total_tokens":1}}', '{"usage":{"total_tokens":1}}'],
    ['not json "usage"', 'not json "usage"'],
  ])('makes of %s: %s', (sent, expected) => {
    expect(relay(Buffer.from(`data: ${sent}\n\n`), 1_000, true).out).toBe(`data: ${expected}\n\n`);
  });

  it.each(NL)('gives the same bytes at every cut, with line ends %j', (nl) => {
    const end = nl + nl;
    const events = [
      `: keep-alive${end}`,
      `event: message${nl}data: {"choices":[{"delta":{"content":"한국어 🙂"}}],"usage":null}${end}`,
      `id: 7${nl}data:{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}${end}`,
      `data: [DONE]${end}`,
    ];
    const bytes = Buffer.from(events.join(''));
    const expected = [events[0], events[1]?.replace(',"usage":null', ''), events[3]].join('');
    for (let size = 1; size <= bytes.length; size += 1) {
      const { out, filter } = relay(bytes, size, true);
      expect(out).toBe(expected);
      expect(filter.usage).toEqual({ promptTokens: 1, completionTokens: 2, totalTokens: 3 });
      expect(relay(bytes, size, false).out).toBe(bytes.toString('utf8'));
    }
  });

  it('passes what is no event stream, and what ends without a blank line, as it is', () => {
    const bytes = Buffer.from('data: {"choices":[]}\n\ndata: half');
    for (let size = 1; size <= bytes.length; size += 1)
      expect(relay(bytes, size, true).out).toBe(bytes.toString());
  });

  it('lets an event through that has grown too long to hold', () => {
    const gate = new SseGate(new UsageFilter(true));
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let out = 0;
    for (let count = 0; count < 10; count += 1) out += gate.push(piece)?.length ?? 0;
    out += gate.end()?.length ?? 0;
    expect(out).toBe(10 * piece.length);
  });
});
