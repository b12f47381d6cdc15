import { MalformedAnswerError } from './malformed-answer.error.js';

/** How the end of an answer's body is known. */
export type Framing = 'none' | 'length' | 'chunked' | 'until_close';

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Flat, `[name, value, ...]`, as they came. */
  readonly rawHeaders: readonly string[];
  /** Value of `content-length`, null without one. */
  readonly length: number | null;
  readonly framing: Framing;
  /** False when the replica will close the connection. */
  readonly keepsAlive: boolean;
  /** Seconds the replica says it keeps an idle connection, null when it does not say. */
  readonly keepAliveSeconds: number | null;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE_TIMEOUT = /(?:^|[,;\s])timeout=(\d{1,6})(?:$|[,;\s])/i;
const HEADERS_MAX = 200;

/** Characters of a header name: the token of RFC 9110. */
const TOKEN = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  TOKEN[char.charCodeAt(0)] = 1;
}

/**
 * Parses a head whose lines all end in CR LF and hold no control characters. Whatever two readers could frame in two
 * ways is an error, never repaired.
 * @param text - the whole head, one character per byte, up to and including its empty line
 * @param headOnly - the answer is one to HEAD, which has no body whatever its head says
 */
export function parseHead(text: string, headOnly: boolean): AnswerHead {
  const lineEnd = text.indexOf('\r\n');
  const matched = STATUS_LINE.exec(text.slice(0, lineEnd));
  if (matched === null) throw new MalformedAnswerError('No HTTP/1 status line');
  const fields = new HeadFields();
  fields.read(text, lineEnd + 2);
  return fields.head(Number(matched[2]), matched[1] === '1', headOnly);
}

/** Reads header lines, and on the way what they say about the message itself. */
class HeadFields {
  private readonly raw: string[] = [];
  private length: number | null = null;
  private chunked = false;
  private closes = false;
  private keepAliveSeconds: number | null = null;

  read(text: string, from: number): void {
    const last = text.length - 2;
    for (let at = from; at < last;) {
      const end = text.indexOf('\r\n', at);
      this.readLine(text, at, end);
      at = end + 2;
    }
    if (this.raw.length > 2 * HEADERS_MAX) throw new MalformedAnswerError('Too many headers');
  }

  head(status: number, isHttp11: boolean, headOnly: boolean): AnswerHead {
    const { raw, length, chunked, closes, keepAliveSeconds } = this;
    if (chunked && (length !== null || !isHttp11)) {
      throw new MalformedAnswerError('Both or neither of content-length and chunks may end the answer');
    }
    const framing = this.framing(status, headOnly);
    const keepsAlive = isHttp11 && !closes && framing !== 'until_close';
    return { status, rawHeaders: raw, length, framing, keepsAlive, keepAliveSeconds };
  }

  private framing(status: number, headOnly: boolean): Framing {
    if (headOnly || status < 200 || status === 204 || status === 304) return 'none';
    if (this.chunked) return 'chunked';
    return this.length === null ? 'until_close' : 'length';
  }

  private readLine(text: string, from: number, end: number): void {
    let at = from;
    while (TOKEN[text.charCodeAt(at)] === 1) at += 1;
    // A line that begins with a blank would go on with the one before it: obsolete, and read in more than one way.
    if (at === from || text.charCodeAt(at) !== 0x3a)
      throw new MalformedAnswerError('A header without a name');
    const name = text.slice(from, at);
    const value = trimmed(text, at + 1, end);
    this.raw.push(name, value);
    this.note(name, value);
  }

  /** By length first: most headers are none of these. */
  private note(name: string, value: string): void {
    switch (name.length) {
      case 10:
        return this.noteConnection(name.toLowerCase(), value);
      case 14:
        return name.toLowerCase() === 'content-length' ? this.noteLength(value) : undefined;
      case 17:
        return name.toLowerCase() === 'transfer-encoding' ? this.noteEncoding(value) : undefined;
    }
  }

  private noteConnection(name: string, value: string): void {
    if (name === 'connection' && value !== 'keep-alive') {
      this.closes ||= value.split(',').some((option) => option.trim().toLowerCase() === 'close');
    } else if (name === 'keep-alive') {
      const seconds = KEEP_ALIVE_TIMEOUT.exec(value)?.[1];
      this.keepAliveSeconds = seconds === undefined ? null : Number(seconds);
    }
  }

  private noteLength(value: string): void {
    if (this.length !== null) throw new MalformedAnswerError('A repeated content-length');
    if (!LENGTH.test(value)) throw new MalformedAnswerError('A content-length that is no number');
    this.length = Number(value);
  }

  private noteEncoding(value: string): void {
    if (this.chunked || value.toLowerCase() !== 'chunked') {
      throw new MalformedAnswerError('A transfer-encoding other than chunked');
    }
    this.chunked = true;
  }
}

/** Without the blanks around it; `String.trim` would take more than blanks. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
