/**
 * Why an exchange cannot go on although its client is still there: what came behind the head makes no sense or did not
 * come in time, or the process has to end.
 */
export type Interruption = 'malformed' | 'timeout' | 'shutdown';

/** Hears what the client's side of an exchange does. */
export interface ClientListener {
  /** The client has caught up; writing may go on. */
  drained(): void;
  /** The client is gone before the answer was complete. Called at most once. */
  gone(): void;
  /** The listener ends the exchange now, with an error where one can still be told. Called at most once. */
  interrupted(reason: Interruption): void;
}

/** The client's end of one exchange, whatever protocol carries it. Exposes no socket. */
export interface ClientSink {
  listen(listener: ClientListener): void;
  /** @param headers - flat, `[name, value, ...]`; without a `content-length` the body's end is framed by the protocol */
  head(status: number, headers: readonly string[]): void;
  /** @returns false when the client should catch up first; `drained` follows */
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): void;
  /** Cuts the connection, so that a half answer cannot be taken for a whole one. */
  destroy(): void;
}
