/** What is being answered on a connection, as far as the connection cares. */
interface ActiveExchange {
  readonly headSent: boolean;
}

/** Requests a client may send ahead on one connection before it is cut off. */
const WAITING_MAX = 64;

/**
 * One client connection. Pipelined requests wait here until the answer before them is complete, so that a connection
 * has one replica call at a time and an abort always belongs to the request that is being answered.
 */
export class NodeConnection {
  active: ActiveExchange | null = null;
  /** Set when the bytes on the connection stopped making sense; nothing is answered after that. */
  broken = false;
  private busy = false;
  private waiting: (() => void)[] = [];

  /** @returns false when too many requests wait already */
  enqueue(open: () => void): boolean {
    if (!this.busy) {
      this.busy = true;
      open();
      return true;
    }
    if (this.waiting.length >= WAITING_MAX) return false;
    this.waiting.push(open);
    return true;
  }

  /** The answer is complete or lost; the next request, if any, gets its turn in a fresh turn of the event loop. */
  release(): void {
    this.active = null;
    if (this.waiting.length > 0) setImmediate(() => this.next());
    else this.busy = false;
  }

  /** The connection is gone, and with it what was never begun. */
  close(): void {
    this.broken = true;
    this.waiting = [];
  }

  private next(): void {
    const open = this.broken ? undefined : this.waiting.shift();
    if (open === undefined) this.busy = false;
    else open();
  }
}
