import { ChunkedDecoder } from './chunked-decoder.js';
import { LineScanner } from './line-scanner.js';
import { MalformedAnswerError } from './malformed-answer.error.js';
import { parseHead, type AnswerHead, type Framing } from './parse-head.js';

/** Takes an answer as it is parsed. Both say false when nothing more should be parsed for now. */
export interface AnswerListener {
  head(head: AnswerHead): boolean;
  data(bytes: Buffer): boolean;
}

/** The longest head a replica may send, informational ones before it included. */
const HEAD_BYTES_MAX = 64 * 1024;
const SWITCHING_PROTOCOLS = 101;

/**
 * Parses answers of one connection, one after the other, from bytes in any pieces. Strict: what is not plain HTTP/1.1
 * with one reading is an error, because a wrong end of an answer would make its rest the beginning of the next one.
 */
export class AnswerParser {
  /** Set once the answer is complete. */
  done = false;
  /** The final head, once it has come. */
  answer: AnswerHead | null = null;
  private headOnly = false;
  private maySwitch = false;
  private framing: Framing = 'none';
  private left = 0;
  private headText = '';
  private readonly headScanner = new LineScanner(HEAD_BYTES_MAX);
  private readonly chunks = new ChunkedDecoder();

  constructor(private readonly listener: AnswerListener) {}

  /**
   * For the next answer.
   * @param maySwitch - the request asked for another protocol: a 101 is its answer, and what follows is no HTTP
   */
  begin(headOnly: boolean, maySwitch = false): void {
    this.done = false;
    this.answer = null;
    this.headOnly = headOnly;
    this.maySwitch = maySwitch;
    this.headScanner.reset();
  }

  /**
   * @returns the index of the first byte not read: the listener said stop, or the answer is complete
   * @throws MalformedAnswerError
   */
  push(bytes: Buffer, from: number): number {
    let at = from;
    let goesOn = true;
    while (goesOn && !this.done && at < bytes.length) {
      if (this.answer === null) {
        at = this.readHead(bytes, at);
        goesOn = this.answer === null || this.listener.head(this.answer);
      } else if (this.framing === 'chunked' && !this.chunks.inData) {
        at = this.chunks.skip(bytes, at);
        this.done = this.chunks.done;
      } else {
        const piece = this.piece(bytes, at);
        at += piece.length;
        goesOn = this.listener.data(piece);
      }
    }
    return at;
  }

  /** The connection ended. @returns true when that ends the answer as it should */
  finish(): boolean {
    if (this.answer !== null && this.framing === 'until_close') this.done = true;
    return this.done;
  }

  private readHead(bytes: Buffer, from: number): number {
    const end = this.headScanner.scan(bytes, from);
    const text = bytes.toString('latin1', from, end === -1 ? bytes.length : end);
    this.headText = this.headText === '' ? text : this.headText + text;
    if (end === -1) return bytes.length;
    const head = parseHead(this.headText, this.headOnly);
    this.headText = '';
    if (head.status >= 200 || this.switches(head)) this.beginBody(head);
    return end;
  }

  private switches({ status }: AnswerHead): boolean {
    if (status !== SWITCHING_PROTOCOLS) return false;
    if (this.maySwitch) return true;
    throw new MalformedAnswerError('A switch of protocols nobody asked for');
  }

  private beginBody(head: AnswerHead): void {
    this.answer = head;
    this.framing = head.framing;
    this.left = head.length ?? 0;
    this.done = head.framing === 'none' || (head.framing === 'length' && this.left === 0);
    if (head.framing === 'chunked') this.chunks.reset();
  }

  /** As much of the body as is there, without framing. Counted before it is handed over. */
  private piece(bytes: Buffer, from: number): Buffer {
    const there = bytes.length - from;
    if (this.framing === 'until_close') return bytes.subarray(from);
    const size = Math.min(there, this.framing === 'chunked' ? this.chunks.left : this.left);
    if (this.framing === 'chunked') this.chunks.consumed(size);
    else this.left -= size;
    this.done = this.framing === 'length' && this.left === 0;
    return bytes.subarray(from, from + size);
  }
}
