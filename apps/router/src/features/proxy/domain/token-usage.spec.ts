import { describe, expect, it } from '@jest/globals';
import { AnswerTail, findUsage } from './token-usage.js';

const USAGE = '{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}';
const FOUND = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe('usage of an answer that is not a stream', () => {
  it.each([
    [`{"choices":[],"usage":${USAGE}}`],
    [`{"usage" : ${USAGE}, "x":{}}`],
    [`{"usage":${USAGE},"choices":[{"message":{"content":"usage"}}]}`],
    [`{"choices":[{"text":"\\"usage\\":{}"}],"usage":${USAGE}}`],
    [`{"usage":${USAGE},"service":{"kind":"usage","a":{"total_tokens":9}}}`],
  ])('is read from %s', (text) => {
    expect(findUsage(Buffer.from(text))).toEqual(FOUND);
  });

  it.each(['', '{}', '{"x":"usage"}', '{"usage":null,"x":{"total_tokens":1}}', '{"usage":{"total_tokens":'])(
    'is not there in %s',
    (text) => {
      expect(findUsage(Buffer.from(text))).toBeNull();
    },
  );

  it('is read from the end of an answer of any length in any pieces', () => {
    for (const size of [1, 1_000, 100_000]) {
      const tail = new AnswerTail();
      const text = Buffer.from(`{"data":"${'x'.repeat(300_000)}","usage":${USAGE}}`);
      for (let at = 0; at < text.length; at += size) tail.push(text.subarray(at, at + size));
      expect(tail.usage()).toEqual(FOUND);
    }
  });
});
