import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TimerWheel } from '../../proxy/index.js';

interface RawAnswerOptions {
  readonly timers: TimerWheel;
  /** Longest time in milliseconds in which a client may take nothing of an answer that has ended. */
  readonly stallMs: number;
  readonly onDrain: () => void;
}

/** How long an answered client may go on sending before its connection is closed under it. */
const LINGER_MS = 1_000;

/** Writes one answer of HTTP/1.1 on a connection that HTTP has lost hold of. The connection ends with it. */
export class RawAnswer {
  private chunked = false;

  constructor(
    private readonly socket: Duplex,
    private readonly options: RawAnswerOptions,
  ) {}

  /** The answer that switches protocols; what follows it is not HTTP. */
  switch(headers: readonly string[], protocol: string): void {
    this.writeHead(101, [...headers, 'connection', 'Upgrade', 'upgrade', protocol]);
  }

  /** @param length - of the body, null when unknown and undefined when there is none */
  head(status: number, headers: readonly string[], length: number | null | undefined): void {
    this.chunked = length === null;
    const framing = this.chunked ? ['transfer-encoding', 'chunked'] : [];
    if (typeof length === 'number') framing.push('content-length', String(length));
    this.writeHead(status, [...headers, ...framing, 'connection', 'close']);
    this.socket.on('drain', this.options.onDrain);
  }

  /** @returns false when the client should catch up first */
  write(bytes: Buffer): boolean {
    const { socket } = this;
    if (!this.chunked) return socket.write(bytes);
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const ready = socket.write('\r\n', 'latin1');
    socket.uncork();
    return ready;
  }

  /** The connection is closed when the client has done so, or had time to read. */
  end(): void {
    const { socket, options } = this;
    const timer = options.timers.create(() => socket.destroy());
    timer.arm(options.stallMs);
    socket.off('drain', options.onDrain);
    socket.once('finish', () => timer.arm(LINGER_MS)).once('close', () => timer.cancel());
    socket.end(this.chunked ? '0\r\n\r\n' : '');
    socket.resume();
  }

  private writeHead(status: number, headers: readonly string[]): void {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    for (let index = 0; index + 1 < headers.length; index += 2)
      head += `${headers[index]}: ${headers[index + 1]}\r\n`;
    this.socket.write(`${head}\r\n`, 'latin1');
  }
}
