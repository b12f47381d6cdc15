const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKED_END = Buffer.from('0\r\n\r\n');

/** Finds the ends of HTTP/1.1 answers in a byte stream, well enough for answers of known servers. */
export class AnswerReader {
  readonly #onAnswer: (status: number) => void;
  #pending: Buffer = Buffer.alloc(0);

  constructor(onAnswer: (status: number) => void) {
    this.#onAnswer = onAnswer;
  }

  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (let end = this.#answerEnd(); end > 0; end = this.#answerEnd()) {
      const status = Number(this.#pending.toString('latin1', 9, 12));
      this.#pending = this.#pending.subarray(end);
      this.#onAnswer(status);
    }
  }

  /** Length of the first complete answer, or 0. */
  #answerEnd(): number {
    const headEnd = this.#pending.indexOf(HEAD_END);
    if (headEnd < 0) return 0;
    const bodyAt = headEnd + HEAD_END.length;
    const head = this.#pending.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return this.#chunkedEnd(bodyAt);
    const end = bodyAt + Number(length);
    return this.#pending.length >= end ? end : 0;
  }

  #chunkedEnd(bodyAt: number): number {
    const at = this.#pending.indexOf(CHUNKED_END, bodyAt);
    return at < 0 ? 0 : at + CHUNKED_END.length;
  }
}
