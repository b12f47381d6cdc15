import type { StreamingClient } from '../passthrough/index.js';
import type { UpgradingClient } from '../upgrade/index.js';

/** Takes a request body that is held whole. */
export interface BodyReader {
  complete(body: Buffer): void;
  /** Of a body whose length was not announced: this many bytes are held now. */
  grown(bytes: number): void;
  /** The body is longer than the limit; no more of it is read. */
  tooLarge(): void;
}

/** What is wrong with a head that could be read: readers before and behind this one may see another request in it. */
export type HeadDefect = 'hosts' | 'chunks_in_http_1_0' | 'unknown_expectation';

/**
 * One request as any front yields it: the head at once, the body when asked for, the answer through the sink. What
 * carries it (HTTP/1.1 today) stays behind the front; no socket is handed out.
 */
export interface FrontExchange extends StreamingClient {
  /** Such a request is to be refused; its connection is closed after the answer. */
  readonly defect: HeadDefect | null;
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

/** A request that wants to leave HTTP on its connection: an upgrade, or `CONNECT`. */
export interface UpgradeExchange extends UpgradingClient {
  /** As for an exchange. */
  readonly defect: HeadDefect | null;
  /** Answers in HTTP and closes. */
  refuse(answer: StandaloneAnswer): void;
}

/** An answer to what did not become an exchange. */
export interface StandaloneAnswer {
  readonly status: number;
  /** Flat, without framing. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** What a front serves. */
export interface FrontHandler {
  open(exchange: FrontExchange): void;
  upgrade(exchange: UpgradeExchange): void;
  /** The answer for bytes that did not make a request. */
  malformed(status: 400 | 408 | 431, peer: string): StandaloneAnswer;
}
