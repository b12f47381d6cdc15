import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RespMessages } from './resp-messages.js';

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const message = (text: string, kind = '*'): string =>
  `${kind}3\r\n${bulk('message')}${bulk('events')}${bulk(text)}`;

/** All bytes of the output when the input comes in pieces of a size. */
function passed(input: string, size: number, rewrite: (text: string) => string | undefined): string {
  const messages = new RespMessages(rewrite);
  const bytes = Buffer.from(input);
  const out: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size)
    out.push(messages.push(bytes.subarray(start, start + size)));
  return Buffer.concat(out).toString();
}

describe('the stream of a Redis server', () => {
  const before = `+OK\r\n:1\r\n$-1\r\n%1\r\n${bulk('server')}${bulk('redis')}*3\r\n${bulk('subscribe')}${bulk('events')}:1\r\n`;

  it.each([1, 7, 10_000])('passes as it came, in pieces of %i bytes', (size) => {
    expect(passed(before + message('one'), size, (text) => text)).toBe(before + message('one'));
  });

  it.each(['*', '>'])('has its messages rewritten (%s)', (kind) => {
    const out = passed(`${message('one', kind)}${message('zwei é', kind)}`, 3, (text) => `${text}!`);
    expect(out).toBe(`${message('one!', kind)}${message('zwei é!', kind)}`);
  });

  it('loses messages that are swallowed, and nothing else', () => {
    const out = passed(`${message('keep')}${message('drop')}+OK\r\n`, 5, (text) =>
      text === 'drop' ? undefined : text,
    );
    expect(out).toBe(`${message('keep')}+OK\r\n`);
  });

  it('carries any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(passed(message(text), size, () => text)).toBe(message(text));
      }),
    );
  });
});
