import type { Duplex } from 'node:stream';

/** What a client may send ahead of the answer before it is made to wait. */
const HELD_BYTES_MAX = 64 * 1024;

/**
 * Keeps what a client sends while its replica is still being asked, and watches whether it leaves meanwhile, which a
 * paused connection would not tell.
 */
export class EarlyBytes {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly socket: Duplex,
    first: Buffer,
    private readonly onGone: () => void,
  ) {
    if (first.length > 0) this.keep(first);
    socket.on('data', this.keep).on('end', onGone).on('close', onGone);
  }

  /** Stops watching. The connection is paused and whoever takes it has to resume it. */
  take(): Buffer {
    const { socket, pieces } = this;
    socket.off('data', this.keep).off('end', this.onGone).off('close', this.onGone);
    socket.pause();
    return Buffer.concat(pieces.splice(0));
  }

  private readonly keep = (piece: Buffer): void => {
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes >= HELD_BYTES_MAX) this.socket.pause();
  };
}
