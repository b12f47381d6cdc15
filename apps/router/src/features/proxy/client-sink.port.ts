/** Hears what the client's side of an exchange does. */
export interface ClientListener {
  /** The client has caught up; writing may go on. */
  drained(): void;
  /** The client is gone before the answer was complete. Called at most once. */
  gone(): void;
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
