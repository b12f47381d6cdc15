import { describe, expect, it } from '@jest/globals';

import { createLogger } from './create-logger.js';
import { wideEvent } from './wide-event.js';

/** What a logger writes, line by line, with the times taken out. */
function recorder() {
  const lines: string[] = [];
  const destination = { write: (line: string): void => void lines.push(line) };
  const logger = createLogger({ service: 'router', level: 'info', destination }).child({ slot: 'a/b/0' });
  return { logger, lines: () => lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":""')) };
}

describe('wideEvent', () => {
  it.each([
    ['plain values', { a: 'text', b: 1.5, c: true, d: null, e: undefined, 'error.code': 'x' }],
    ['texts that need escaping', { a: 'q"b\\s\n\u0007', b: '수문 🚰', 'na"me': 'x' }],
    ['numbers JSON does not know', { a: NaN, b: -Infinity, c: -0 }],
    ['nested values', { a: { b: [1, 'x'] }, c: 1 }],
    ['an error', { err: new Error('broken'), a: 1 }],
    ['secret names', { token: 'abc', api_key: 'abc', a: 1 }],
    ['credentials inside a text', { url: 'redis://user:pass@host', a: 'Bearer abcdefghijkl' }],
  ])('writes %s exactly as the logger itself does', (_name, fields) => {
    const [own, general] = [recorder(), recorder()];
    wideEvent(own.logger, 'request', fields);
    general.logger.info(fields, 'request');
    expect(own.lines()).toEqual(general.lines());
    expect(own.lines()).toHaveLength(1);
  });

  it('writes nothing below the level of the logger', () => {
    const { logger, lines } = recorder();
    wideEvent(logger, 'request', { a: 1 }, 'debug');
    expect(lines()).toEqual([]);
  });

  it('never throws, whatever it is given', () => {
    const { logger } = recorder();
    const hostile = {
      get trap(): string {
        throw new Error('no');
      },
    };
    expect(() => wideEvent(logger, 'request', hostile)).not.toThrow();
  });
});
