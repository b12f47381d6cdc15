import { MalformedAnswerError } from './malformed-answer.error.js';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DEL = 0x7f;

/**
 * Finds the empty line that ends a block of lines (a head, trailers) in bytes that come in any pieces. Every line must
 * end in CR LF: what takes a bare LF for an end and what does not would see two different messages.
 */
export class LineScanner {
  private bytes = 0;
  private lineBytes = 0;
  private afterCr = false;

  /** @param bytesMax - how long the block may be, its end included */
  constructor(private readonly bytesMax: number) {}

  /** Blocks that follow each other without a reset share the bound. */
  reset(): void {
    this.bytes = 0;
    this.lineBytes = 0;
    this.afterCr = false;
  }

  /**
   * @returns the index behind the empty line, or -1 when it has not come yet
   * @throws MalformedAnswerError for stray line ends, control characters and a block that is too long
   */
  scan(chunk: Buffer, from: number): number {
    const left = this.bytesMax - this.bytes;
    const to = Math.min(chunk.length, from + left);
    for (let at = from; at < to; at += 1) {
      if (!this.take(chunk[at] as number)) continue;
      this.bytes += at + 1 - from;
      return at + 1;
    }
    this.bytes += to - from;
    if (this.bytes >= this.bytesMax) throw new MalformedAnswerError('The head of the answer is too long');
    return -1;
  }

  /** @returns true for the last byte of the block */
  private take(byte: number): boolean {
    if (this.afterCr) return this.endLine(byte);
    if (byte >= SPACE && byte !== DEL) this.lineBytes += 1;
    else if (byte === CR) this.afterCr = true;
    else if (byte === TAB) this.lineBytes += 1;
    else if (byte === LF) throw new MalformedAnswerError('A line ends without CR');
    else throw new MalformedAnswerError('A control character in the head of the answer');
    return false;
  }

  private endLine(byte: number): boolean {
    if (byte !== LF) throw new MalformedAnswerError('A CR that ends no line');
    const empty = this.lineBytes === 0;
    this.lineBytes = 0;
    this.afterCr = false;
    return empty;
  }
}
