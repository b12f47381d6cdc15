import type { IncomingMessage } from 'node:http';
import type { PullSource } from '../../proxy/index.js';

interface Waiting {
  readonly resolve: (piece: Buffer | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A request body that is read one piece at a time. Between two pulls the connection is paused, so that no more of it is
 * in memory than one piece and what `node:http` reads ahead.
 */
export class StreamedBody implements PullSource {
  private waiting: Waiting | null = null;
  private begun = false;
  private over = false;
  private lost: Error | null = null;

  /** @param onBegin - called before the first piece is asked for */
  constructor(
    private readonly request: IncomingMessage,
    readonly length: number | null,
    private readonly onBegin: () => void,
  ) {}

  pull(): Promise<Buffer | null> {
    if (this.lost !== null) return Promise.reject(this.lost);
    if (this.over) return Promise.resolve(null);
    if (!this.begun) this.begin();
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.request.resume();
    });
  }

  /** Nothing more comes, and nobody takes it: a pull that waits, or is made after this, is rejected. */
  stop(): void {
    if (this.over) return;
    this.lost ??= new Error('The rest of the request body did not come');
    this.detach();
    this.waiting?.reject(this.lost);
    this.waiting = null;
  }

  private begin(): void {
    this.begun = true;
    this.onBegin();
    this.request.on('data', this.onData).on('end', this.onEnd);
  }

  private readonly onData = (piece: Buffer): void => {
    this.request.pause();
    this.settle(piece);
  };

  private readonly onEnd = (): void => {
    this.over = true;
    this.detach();
    this.settle(null);
  };

  private settle(piece: Buffer | null): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve(piece);
  }

  private detach(): void {
    this.request.off('data', this.onData).off('end', this.onEnd);
  }
}
