import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Writes one answer of HTTP/1.1 on a connection that HTTP has lost hold of. The connection ends with it. */
export class RawAnswer {
  private chunked = false;

  constructor(
    private readonly socket: Duplex,
    private readonly onDrain: () => void,
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
    this.socket.on('drain', this.onDrain);
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

  end(): void {
    this.socket.off('drain', this.onDrain);
    this.socket.end(this.chunked ? '0\r\n\r\n' : '');
  }

  private writeHead(status: number, headers: readonly string[]): void {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    for (let index = 0; index + 1 < headers.length; index += 2)
      head += `${headers[index]}: ${headers[index + 1]}\r\n`;
    this.socket.write(`${head}\r\n`, 'latin1');
  }
}
