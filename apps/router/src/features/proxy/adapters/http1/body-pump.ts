import type { Socket } from 'node:net';
import type { PullSource } from '../../replica-client.port.js';

/** Sends a body that is not held: asks for a piece only when the one before it is on its way. */
export class BodyPump {
  private sent = 0;

  constructor(
    private readonly socket: Socket,
    private readonly source: PullSource,
  ) {}

  /**
   * @returns when the last piece has been handed to the connection, or when the connection is gone
   * @throws what the source throws; RangeError when it yields more or less than it announced
   */
  async run(): Promise<void> {
    const { socket, source } = this;
    while (!socket.destroyed) {
      const piece = await source.pull();
      if (socket.destroyed) return;
      if (piece === null) return this.finish();
      if (piece.length > 0 && !this.write(piece)) await writable(socket);
    }
  }

  private write(piece: Buffer): boolean {
    const { socket, source } = this;
    this.sent += piece.length;
    if (source.length === null) return writeChunk(socket, piece);
    if (this.sent > source.length) throw new RangeError('The body is longer than announced');
    return socket.write(piece);
  }

  private finish(): void {
    const { length } = this.source;
    if (length === null) this.socket.write('0\r\n\r\n', 'latin1');
    else if (this.sent < length) throw new RangeError('The body is shorter than announced');
  }
}

function writeChunk(socket: Socket, piece: Buffer): boolean {
  socket.cork();
  socket.write(`${piece.length.toString(16)}\r\n`, 'latin1');
  socket.write(piece);
  const ready = socket.write('\r\n', 'latin1');
  socket.uncork();
  return ready;
}

/** Resolves when the connection takes more, or is gone. */
function writable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });
}
