import type { Interruption } from '../../proxy/index.js';

/** What is being answered on a connection, as far as the connection cares. */
interface ActiveExchange {
  readonly headSent: boolean;
  /** True once the whole answer has been handed over. */
  readonly ended: boolean;
  /** True when the request may take as long as it likes to arrive. */
  readonly streams: boolean;
  interrupt(reason: Interruption): void;
}

/** Requests a client may send ahead on one connection before it is cut off. */
const WAITING_MAX = 64;

/**
 * One client connection. Pipelined requests wait here until the answer before them is complete, so that a connection
 * has one replica call at a time and an abort always belongs to the request that is being answered.
 */
export class NodeConnection {
  active: ActiveExchange | null = null;
  /** Set when the bytes on the connection stopped making sense; nothing is begun after that. */
  broken = false;
  private taken = false;
  private waiting: (() => void)[] = [];

  /** True while a request is being answered or waits for its turn. */
  get busy(): boolean {
    return this.taken;
  }

  /**
   * What comes behind the last answer, while the connection is being closed, is never begun.
   * @returns false when too many requests wait already
   */
  enqueue(open: () => void): boolean {
    if (this.broken) return true;
    if (!this.taken) {
      this.taken = true;
      open();
      return true;
    }
    if (this.waiting.length >= WAITING_MAX) return false;
    this.waiting.push(open);
    return true;
  }

  /**
   * The answer is complete or lost; the next request, if any, gets its turn in a fresh turn of the event loop.
   * @param closing - whether the answer was the connection's last, so that nobody could hear another one
   * @returns true when another request will be answered
   */
  release(closing: boolean): boolean {
    this.active = null;
    if (closing || this.broken) this.close();
    if (this.waiting.length === 0) {
      this.taken = false;
      return false;
    }
    setImmediate(() => this.next());
    return true;
  }

  /** The connection is gone or going, and with it what was never begun. */
  close(): void {
    this.broken = true;
    this.waiting = [];
  }

  private next(): void {
    const open = this.broken ? undefined : this.waiting.shift();
    if (open === undefined) this.taken = false;
    else open();
  }
}
