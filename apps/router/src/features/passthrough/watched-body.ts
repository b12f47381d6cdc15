import type { PullSource } from '../proxy/index.js';

/** Hears how a body goes on. */
interface BodyWatcher {
  /** A piece is wanted from the client. */
  wanted(): void;
  /** It came; 0 bytes are the end. */
  came(bytes: number): void;
}

/** A request body whose pieces are seen passing. */
export class WatchedBody implements PullSource {
  /** True once any of it has been asked for: a second attempt would get what is left. */
  taken = false;
  /** True while the replica has what came and waits for the client. */
  waitsForClient = false;
  /** True when all of it has been handed over. */
  done = false;

  constructor(
    private readonly source: PullSource,
    private readonly watcher: BodyWatcher,
  ) {}

  get length(): number | null {
    return this.source.length;
  }

  async pull(): Promise<Buffer | null> {
    this.taken = true;
    this.waitsForClient = true;
    this.watcher.wanted();
    const piece = await this.source.pull();
    this.waitsForClient = false;
    this.done = piece === null;
    this.watcher.came(piece?.length ?? 0);
    return piece;
  }
}
