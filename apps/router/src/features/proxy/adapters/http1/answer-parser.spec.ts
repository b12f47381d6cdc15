import { beforeEach, describe, expect, it } from '@jest/globals';
import { AnswerParser, type AnswerListener } from './answer-parser.js';
import { MalformedAnswerError } from './malformed-answer.error.js';
import type { AnswerHead } from './parse-head.js';

class Recorder implements AnswerListener {
  heads: AnswerHead[] = [];
  body = '';
  accepts = true;

  head(head: AnswerHead): boolean {
    this.heads.push(head);
    return this.accepts;
  }

  data(bytes: Buffer): boolean {
    this.body += bytes.toString('latin1');
    return this.accepts;
  }
}

let recorder: Recorder;
let parser: AnswerParser;

beforeEach(() => {
  recorder = new Recorder();
  parser = new AnswerParser(recorder);
  parser.begin(false);
});

function push(...pieces: string[]): void {
  pushAll(pieces);
}

function pushAll(pieces: Iterable<string>): void {
  for (const piece of pieces) parser.push(Buffer.from(piece, 'latin1'), 0);
}

interface Parsed {
  status: number | undefined;
  headers: readonly string[] | undefined;
  body: string;
  done: boolean;
}

/** What a new parser makes of these pieces (a text is one character each) followed by the end of the connection. */
function parse(pieces: Iterable<string>): Parsed {
  recorder = new Recorder();
  parser = new AnswerParser(recorder);
  parser.begin(false);
  pushAll(pieces);
  const [head] = recorder.heads;
  return { status: head?.status, headers: head?.rawHeaders, body: recorder.body, done: parser.finish() };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

const ANSWERS: [string, string, string][] = [
  ['a length', `${OK}Content-Length: 11\r\nX-A: b\r\n\r\nhello\r\nyou!`, 'hello\r\nyou!'],
  ['an empty body', `${OK}content-length: 0\r\n\r\n`, ''],
  ['chunks', `${CHUNKED}5\r\nhello\r\n1a\r\n${'x'.repeat(26)}\r\n0\r\n\r\n`, `hello${'x'.repeat(26)}`],
  ['chunks with extensions', `${CHUNKED}003;a=b;c="d"\r\nabc\r\n0;last\r\n\r\n`, 'abc'],
  ['trailers', `${CHUNKED}3\r\nabc\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n`, 'abc'],
  ['the end of the connection', `${OK}x: y\r\n\r\nabc\r\n\r\n`, 'abc\r\n\r\n'],
  [
    'informational heads before it',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nlink: y\r\n\r\n${OK}content-length: 1\r\n\r\na`,
    'a',
  ],
  ['an older version', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nab', 'ab'],
  ['no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nab', 'ab'],
  ['no content', 'HTTP/1.1 204 No Content\r\nx: y\r\n\r\n', ''],
];

describe('an answer with', () => {
  it.each(ANSWERS)('%s is the same in whatever pieces it comes', (_what, text, body) => {
    const whole = parse([text]);
    expect(whole).toMatchObject({ body, done: true });
    for (let at = 1; at < text.length; at += 1) {
      expect(parse([text.slice(0, at), text.slice(at)])).toEqual(whole);
    }
    expect(parse(text)).toEqual(whole);
  });

  it.each(ANSWERS.filter(([what]) => what !== 'the end of the connection'))(
    '%s is not complete before its last byte',
    (_what, text) => {
      for (let at = 0; at < text.length; at += 1) expect(parse([text.slice(0, at)]).done).toBe(false);
    },
  );
});

describe('the end of an answer', () => {
  it('is where its framing says, and nothing after it is read', () => {
    for (const [, text] of ANSWERS.filter(([what]) => what !== 'the end of the connection')) {
      parser.begin(false);
      const bytes = Buffer.from(`${text}HTTP/1.1`, 'latin1');
      expect(parser.push(bytes, 0)).toBe(text.length);
      expect(parser.done).toBe(true);
    }
  });

  it('is that of its head for HEAD, 204 and 304', () => {
    parser.begin(true);
    push(`${OK}content-length: 5\r\n\r\n`);
    expect(parser.done).toBe(true);
    expect(recorder.heads[0]?.length).toBe(5);
    for (const status of [204, 304]) {
      parser.begin(false);
      push(`HTTP/1.1 ${status} X\r\ncontent-length: 5\r\n\r\n`);
      expect(parser.done).toBe(true);
    }
  });

  it('comes again after a stop, at the byte where it stopped', () => {
    recorder.accepts = false;
    const bytes = Buffer.from(`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`);
    const bodies: string[] = [];
    for (let at = 0; !parser.done; bodies.push(recorder.body)) at = parser.push(bytes, at);
    expect(bodies).toEqual(['', 'a', 'ab', 'ab']);
  });
});

describe('a connection', () => {
  it.each([
    [true, `${OK}content-length: 0\r\n\r\n`],
    [true, `${OK}content-length: 0\r\nConnection: Keep-Alive\r\n\r\n`],
    [false, `${OK}content-length: 0\r\nConnection: Close\r\n\r\n`],
    [false, `${OK}content-length: 0\r\nconnection: x, close\r\n\r\n`],
    [false, 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n'],
    [false, `${OK}\r\n`],
  ])('stays: %s, after %j', (keepsAlive, text) => {
    push(text);
    expect(recorder.heads[0]?.keepsAlive).toBe(keepsAlive);
  });

  it('stays as long as the replica says', () => {
    push(`${OK}content-length: 0\r\nKeep-Alive: max=3, timeout=5\r\n\r\n`);
    expect(recorder.heads[0]?.keepAliveSeconds).toBe(5);
  });
});

const LONG = 'y'.repeat(70_000);

const MALFORMED: [string, string][] = [
  ['no status line', '\r\n\r\n'],
  ['an empty line first', `\r\n${OK}content-length: 0\r\n\r\n`],
  ['another protocol', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
  ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
  ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
  ['a short status', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a long status', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
  ['two blanks before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
  ['a switch of protocols', 'HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n'],
  ['a bare LF after the status line', 'HTTP/1.1 200 OK\n'],
  ['a bare LF after a header', `${OK}a: b\n`],
  ['a bare LF as the end', `${OK}a: b\r\n\n`],
  ['a bare CR', `${OK}a: b\rc\r\n\r\n`],
  ['a NUL', `${OK}a: b\0c\r\n\r\n`],
  ['a control character', `${OK}a: b\x1bc\r\n\r\n`],
  ['a header without colon', `${OK}abc\r\n\r\n`],
  ['a header without name', `${OK}: b\r\n\r\n`],
  ['a blank before the colon', `${OK}a : b\r\n\r\n`],
  ['a name that is no token', `${OK}a(b: c\r\n\r\n`],
  ['a name with a byte above ASCII', `${OK}\xe9: c\r\n\r\n`],
  ['a folded header', `${OK}a: b\r\n c\r\n\r\n`],
  ['a header folded with a tab', `${OK}a: b\r\n\tc\r\n\r\n`],
  ['a head that is too long', `${OK}a: ${LONG}\r\n\r\n`],
  ['a head without end', `${OK}a: ${LONG}`],
  ['informational heads without end', `HTTP/1.1 103 X\r\na: ${'y'.repeat(1_000)}\r\n\r\n`.repeat(100)],
  ['too many headers', `${OK}${'a: b\r\n'.repeat(201)}\r\n`],
  ['a length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['chunks and a length', `${OK}transfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n`],
  ['the same length twice', `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\n`],
  ['a list of lengths', `${OK}content-length: 1, 1\r\n\r\n`],
  ['a negative length', `${OK}content-length: -1\r\n\r\n`],
  ['a signed length', `${OK}content-length: +1\r\n\r\n`],
  ['a hexadecimal length', `${OK}content-length: 0x1\r\n\r\n`],
  ['a broken length', `${OK}content-length: 1.5\r\n\r\n`],
  ['an empty length', `${OK}content-length:\r\n\r\n`],
  ['a huge length', `${OK}content-length: 99999999999999999999\r\n\r\n`],
  ['another transfer-encoding', `${OK}transfer-encoding: gzip\r\n\r\n`],
  ['two transfer-encodings', `${OK}transfer-encoding: gzip, chunked\r\n\r\n`],
  ['a repeated transfer-encoding', `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['a transfer-encoding that is nearly chunked', `${OK}transfer-encoding: xchunked\r\n\r\n`],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['no chunk size', `${CHUNKED}\r\n`],
  ['a chunk size that is no number', `${CHUNKED}g\r\n`],
  ['a signed chunk size', `${CHUNKED}+1\r\n`],
  ['a prefixed chunk size', `${CHUNKED}0x1\r\n`],
  ['a blank before a chunk size', `${CHUNKED} 1\r\n`],
  ['a blank after a chunk size', `${CHUNKED}1 \r\n`],
  ['a huge chunk size', `${CHUNKED}fffffffffffff\r\n`],
  ['a chunk size that ends in a bare LF', `${CHUNKED}1\n`],
  ['a chunk size that ends in a bare CR', `${CHUNKED}1\ra`],
  ['an extension that ends in a bare LF', `${CHUNKED}1;a\n`],
  ['an extension that is too long', `${CHUNKED}1;${'a'.repeat(2_000)}`],
  ['an extension without end', `${CHUNKED}1;${LONG}`],
  ['a chunk longer than its size', `${CHUNKED}1\r\nab\r\n`],
  ['a chunk that ends in a bare LF', `${CHUNKED}1\r\na\n`],
  ['a trailer with a bare LF', `${CHUNKED}0\r\na: b\n`],
  ['trailers that are too long', `${CHUNKED}0\r\na: ${LONG}`],
];

describe('refused is', () => {
  it.each(MALFORMED)('%s, in whatever pieces it comes', (_what, text) => {
    expect(() => parse([text])).toThrow(MalformedAnswerError);
    expect(() => parse(text)).toThrow(MalformedAnswerError);
  });

  it('nothing with a message that repeats what came', () => {
    for (const [, text] of MALFORMED) {
      expect(() => parse([text.replaceAll('y', 'secret')])).not.toThrow(/secret/);
    }
  });
});
