import { write, writeSync } from 'node:fs';

/** Lines are collected into pieces of this size; a longer line is a piece of its own. */
const PIECE_BYTES = 64 * 1024;
/** What may wait for a reader that does not keep up. Beyond it lines are dropped and counted. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 250;
const RETRY_MS = 20;

/**
 * Log lines on their way to a file descriptor. Each line is copied once, into a buffer that goes out in one write off
 * the main thread; pino's own destination joins strings instead, which costs four times as much per line. Never blocks
 * and never grows without bound: when the reader stalls, lines are dropped and the next line that fits says how many.
 */
export class BufferedOutput {
  private piece = Buffer.allocUnsafe(PIECE_BYTES);
  private used = 0;
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private writing = false;
  private dropped = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly whenEmpty: (() => void)[] = [];

  constructor(private readonly descriptor: number) {}

  write(line: string): void {
    if (this.waitingBytes > WAITING_BYTES_MAX) {
      this.dropped += 1;
      return;
    }
    if (this.dropped > 0) this.reportDropped();
    this.append(line);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  /** Sends what is held; `done` runs when it is out. */
  flush(done?: () => void): void {
    this.stopTimer();
    this.closePiece();
    if (done !== undefined) this.whenEmpty.push(done);
    this.pump();
  }

  /** For the end of the process, when nothing asynchronous happens any more. A piece under way is not repeated. */
  flushSync(): void {
    this.stopTimer();
    this.closePiece();
    const pieces = this.waiting.splice(this.writing ? 1 : 0);
    for (const piece of pieces) this.writeNow(piece);
    this.waitingBytes = this.waiting.reduce((sum, piece) => sum + piece.length, 0);
  }

  private append(line: string): void {
    // Three bytes are the most that one UTF-16 unit takes.
    if (line.length * 3 > this.piece.length - this.used) this.flush();
    if (line.length * 3 <= this.piece.length) {
      this.used += this.piece.write(line, this.used);
      return;
    }
    this.enqueue(Buffer.from(line));
    this.pump();
  }

  private reportDropped(): void {
    const line = `{"level":"warn","time":"${new Date().toISOString()}","dropped":${this.dropped},"msg":"log lines dropped"}\n`;
    this.dropped = 0;
    this.append(line);
  }

  private closePiece(): void {
    if (this.used === 0) return;
    this.enqueue(this.piece.subarray(0, this.used));
    this.piece = Buffer.allocUnsafe(PIECE_BYTES);
    this.used = 0;
  }

  private enqueue(piece: Buffer): void {
    this.waiting.push(piece);
    this.waitingBytes += piece.length;
  }

  private pump(): void {
    if (this.writing) return;
    const [piece] = this.waiting;
    if (piece === undefined) return this.empty();
    this.writing = true;
    write(this.descriptor, piece, 0, piece.length, null, (error, written) => this.wrote(error, written));
  }

  private wrote(error: NodeJS.ErrnoException | null, written: number): void {
    this.writing = false;
    if (error?.code === 'EAGAIN') return void setTimeout(() => this.pump(), RETRY_MS);
    const [piece] = this.waiting;
    if (piece === undefined) return;
    // Nobody reads any more: what is lost can be told to nobody.
    const done = error === null ? written : piece.length;
    this.waitingBytes -= done;
    if (done >= piece.length) this.waiting.shift();
    else this.waiting[0] = piece.subarray(done);
    this.pump();
  }

  private writeNow(piece: Buffer): void {
    try {
      for (let at = 0; at < piece.length;) at += writeSync(this.descriptor, piece, at);
    } catch {
      // A full pipe or a closed one: the process ends now and must not wait for it.
    }
  }

  private empty(): void {
    for (const done of this.whenEmpty.splice(0)) done();
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
