import { describe, expect, it } from '@jest/globals';

import { AnswerReader } from './answer-reader.ts';

const ANSWERS =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
  'HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n' +
  'HTTP/1.1 201 Made\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';

describe('AnswerReader', () => {
  it.each([1, 7, 1_000])('finds every answer when bytes come %i at a time', (size) => {
    const seen: number[] = [];
    const reader = new AnswerReader((status) => seen.push(status));
    for (let at = 0; at < ANSWERS.length; at += size) reader.push(Buffer.from(ANSWERS.slice(at, at + size)));
    expect(seen).toEqual([200, 503, 201]);
  });
});
