import { LineScanner } from './line-scanner.js';
import { MalformedAnswerError } from './malformed-answer.error.js';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const TAB = 0x09;

/** More digits than any chunk needs, few enough to stay an exact number. */
const SIZE_DIGITS_MAX = 12;
const EXTENSION_BYTES_MAX = 1_024;
const TRAILER_BYTES_MAX = 8 * 1_024;

type State = 'size' | 'extension' | 'size_lf' | 'data' | 'data_cr' | 'data_lf' | 'trailers' | 'done';

/** The framing between the pieces of a chunked body. Extensions and trailers are read, bounded and dropped. */
export class ChunkedDecoder {
  /** Size of the current chunk, less what has been read of it; while its size line is read, that of what has come. */
  left = 0;
  private state: State = 'size';
  private digits = 0;
  private extensionBytes = 0;
  private readonly trailers = new LineScanner(TRAILER_BYTES_MAX);

  /** True when the next byte is one of the body. */
  get inData(): boolean {
    return this.state === 'data';
  }

  get done(): boolean {
    return this.state === 'done';
  }

  reset(): void {
    this.left = 0;
    this.beginSize();
    this.trailers.reset();
  }

  /** Says that so many bytes of the current chunk have been read. */
  consumed(bytes: number): void {
    this.left -= bytes;
    if (this.left === 0) this.state = 'data_cr';
  }

  /**
   * Reads framing, up to the next byte of data, the end of the body, or the end of what is there.
   * @returns the index of the first byte not read
   * @throws MalformedAnswerError
   */
  skip(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.state !== 'data' && this.state !== 'done') {
      if (this.state === 'trailers') return this.skipTrailers(bytes, at);
      this.take(bytes[at] as number);
      at += 1;
    }
    return at;
  }

  private skipTrailers(bytes: Buffer, from: number): number {
    const end = this.trailers.scan(bytes, from);
    if (end === -1) return bytes.length;
    this.state = 'done';
    return end;
  }

  private take(byte: number): void {
    switch (this.state) {
      case 'size':
        return this.takeSize(byte);
      case 'extension':
        return this.takeExtension(byte);
      case 'size_lf':
        return this.endSize(byte);
      case 'data_cr':
        return this.expect(byte, CR, 'data_lf');
      case 'data_lf':
        this.expect(byte, LF, 'size');
        return this.beginSize();
      default:
        throw new Error(`No framing is read in the state ${this.state}`);
    }
  }

  private takeSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.digits += 1;
      if (this.digits > SIZE_DIGITS_MAX) throw new MalformedAnswerError('A chunk that is too long');
      this.left = this.left * 16 + digit;
    } else if (this.digits > 0 && byte === CR) this.state = 'size_lf';
    else if (this.digits > 0 && byte === SEMICOLON) this.state = 'extension';
    else throw new MalformedAnswerError('A chunk size that is no number');
  }

  private takeExtension(byte: number): void {
    if (byte === CR) {
      this.state = 'size_lf';
      return;
    }
    this.extensionBytes += 1;
    const isControl = (byte < 0x20 && byte !== TAB) || byte === 0x7f;
    if (isControl || this.extensionBytes > EXTENSION_BYTES_MAX) {
      throw new MalformedAnswerError('A chunk extension that is too long or holds control characters');
    }
  }

  private endSize(byte: number): void {
    this.expect(byte, LF, this.left === 0 ? 'trailers' : 'data');
  }

  private expect(byte: number, expected: number, next: State): void {
    if (byte !== expected) throw new MalformedAnswerError('A chunk that does not end where it should');
    this.state = next;
  }

  private beginSize(): void {
    this.state = 'size';
    this.digits = 0;
    this.extensionBytes = 0;
  }
}

/** @returns the digit's value, -1 for any other byte */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
