import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const POLL_INTERVAL_MS = 250;
const READ_BYTES_MAX = 1024 * 1024;

/** Passes on what is appended to a file, in whole lines. Starts over when the file was emptied. */
export class LogFollower {
  private offset: number;

  constructor(
    private readonly file: string,
    private readonly onLines: (text: string) => void,
  ) {
    this.offset = statSync(file).size;
  }

  /** Polls for ever; the command ends with Ctrl-C. */
  start(): void {
    setInterval(() => this.poll(), POLL_INTERVAL_MS);
  }

  /** Reads what is new. */
  poll(): void {
    const descriptor = openSync(this.file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      if (size < this.offset) this.offset = 0;
      const bytes = Buffer.alloc(Math.min(size - this.offset, READ_BYTES_MAX));
      const length = readSync(descriptor, bytes, 0, bytes.length, this.offset);
      this.pass(bytes.subarray(0, length));
    } finally {
      closeSync(descriptor);
    }
  }

  /** What follows the last line break waits for its end, unless it fills the buffer alone. */
  private pass(bytes: Buffer): void {
    const lineEnd = bytes.lastIndexOf('\n') + 1;
    const length = lineEnd === 0 && bytes.length === READ_BYTES_MAX ? bytes.length : lineEnd;
    if (length === 0) return;
    this.offset += length;
    this.onLines(bytes.toString('utf8', 0, lineEnd === 0 ? length : length - 1));
  }
}
