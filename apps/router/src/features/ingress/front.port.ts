import type { ClientSink } from '../proxy/index.js';

/** Takes a request body that is held whole. */
export interface BodyReader {
  complete(body: Buffer): void;
  /** The body is longer than the limit; no more of it is read. */
  tooLarge(): void;
}

/**
 * One request as any front yields it: the head at once, the body when asked for, the answer through the sink. What
 * carries it (HTTP/1.1 today) stays behind the front; no socket is handed out.
 */
export interface FrontExchange extends ClientSink {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly target: string;
  /** Address of the connection's other end, IPv4-mapped ones unwrapped. */
  readonly peer: string;
  /** Flat, `[name, value, ...]`, as received. */
  readonly rawHeaders: readonly string[];
  /** Length of the body as announced; null when it is chunked. */
  readonly declaredLength: number | null;
  /** @param name - lower-case */
  header(name: string): string | undefined;
  /** Starts reading the body; a client that waits for leave to send it gets it now. */
  readBody(limitBytes: number, reader: BodyReader): void;
  /**
   * A whole answer. When the body was not read, the client still gets to see the answer: what it goes on sending is
   * thrown away for a moment before the connection is closed.
   */
  reply(status: number, headers: readonly string[], body: string | null): void;
}

/** A request that wants to leave HTTP on its connection. */
export interface UpgradeExchange {
  readonly method: string;
  readonly target: string;
  readonly peer: string;
  readonly rawHeaders: readonly string[];
  header(name: string): string | undefined;
  /** Answers in HTTP and closes. */
  refuse(status: number, headers: readonly string[], body: string): void;
}

/** What a front serves. */
export interface FrontHandler {
  open(exchange: FrontExchange): void;
  upgrade(exchange: UpgradeExchange): void;
  /** An answer for bytes that did not make a request: its status, headers and body. */
  malformed(status: 400 | 408 | 431): { readonly headers: readonly string[]; readonly body: string };
}
