import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Timer, TimerWheel } from '../../proxy/index.js';

/** How two joined connections came apart. */
export type SpliceEnd =
  /** Both sides ended, one after the other. */
  | 'ended'
  /** One side broke off; the other one has been cut. */
  | 'client_lost'
  | 'replica_lost'
  /** Neither side sent anything for too long. */
  | 'silent'
  /** {@link Splice.cut} was called. */
  | 'cut';

interface SpliceOptions {
  readonly timers: TimerWheel;
  readonly idleMs: number;
  readonly onBytes: (from: 'client' | 'replica', bytes: number) => void;
  /** Called exactly once, when both connections are on their way to be closed. */
  readonly onEnd: (end: SpliceEnd) => void;
}

/**
 * Two connections joined byte for byte: each is read as fast as the other one takes, a side that ends ends the other
 * one's input, and a side that breaks off breaks off the other one. Whatever is spoken on them, closing included, is
 * between the two ends.
 */
export class Splice {
  private readonly silence: Timer;
  private over = false;
  private readonly open: Set<Duplex>;

  constructor(
    private readonly client: Duplex,
    private readonly replica: Duplex,
    private readonly options: SpliceOptions,
  ) {
    this.open = new Set([client, replica]);
    this.silence = options.timers.create(() => this.finish('silent'));
  }

  /** Both connections must be paused; what came ahead on them must have been written already. */
  start(): void {
    this.silence.arm(this.options.idleMs);
    this.join('client', this.client, this.replica);
    this.join('replica', this.replica, this.client);
  }

  /** Closes both now. */
  cut(): void {
    this.finish('cut');
  }

  private join(side: 'client' | 'replica', from: Duplex, to: Duplex): void {
    from.on('data', (bytes: Buffer) => {
      this.options.onBytes(side, bytes.length);
      this.silence.arm(this.options.idleMs);
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    // Its `close` follows.
    from.on('error', () => from.destroy());
    from.on('close', () => this.closed(side, from));
    // Gone before anybody listened.
    if (from.destroyed) return void process.nextTick(() => this.closed(side, from));
    if (to.writableNeedDrain) from.pause();
    else from.resume();
  }

  private closed(side: 'client' | 'replica', socket: Duplex): void {
    this.open.delete(socket);
    const whole = socket.readableEnded && socket.writableFinished;
    if (!whole) this.finish(side === 'client' ? 'client_lost' : 'replica_lost');
    else if (this.open.size === 0) this.finish('ended');
  }

  private finish(end: SpliceEnd): void {
    if (this.over) return;
    this.over = true;
    this.silence.cancel();
    const close = end === 'client_lost' || end === 'replica_lost' ? breakOff : closeDown;
    for (const socket of this.open) close(socket);
    this.options.onEnd(end);
  }
}

/** Ends a connection properly, unless its other end takes nothing. */
function closeDown(socket: Duplex): void {
  if (socket instanceof Socket && socket.writableLength === 0) socket.destroySoon();
  else breakOff(socket);
}

/** Ends a connection so that its other end cannot take it for a proper end. */
export function breakOff(socket: Duplex): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}
