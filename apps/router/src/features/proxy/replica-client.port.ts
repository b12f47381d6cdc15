import type { AttemptFailure } from '@penstock/routing';

/** Where a replica listens. `key` is `host:port` and names its connection pool. */
export interface ReplicaAddress {
  readonly key: string;
  readonly host: string;
  readonly port: number;
}

/** A body that is not held: each call of `pull` asks for one more piece; null ends it. */
export interface PullSource {
  /** Bytes in all, null when unknown. */
  readonly length: number | null;
  /** Rejects when the rest will not come: a part of a body must not pass for the whole. */
  pull(): Promise<Buffer | null>;
}

/** One request to one replica. Headers are flat, `[name, value, ...]`, without framing. */
export interface ReplicaRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | PullSource | null;
  /** Value of `Host`; the replica's own address when left out. */
  readonly host?: string | undefined;
  /** Asks for a connection of its own: one kept from before may close under a request that cannot be sent twice. */
  readonly fresh?: boolean;
}

/**
 * Takes one answer: `head`, then `data` as often as needed, then `end`; or `fail` at any point. After `end`, `fail` or
 * the caller's own `abort` nothing more is called.
 */
export interface ReplicaSink {
  /** @param length - the answer's `content-length`, null when it has none. Informational (1xx) heads are not reported. */
  head(status: number, rawHeaders: readonly string[], length: number | null): void;
  /** @returns false to pause the answer until {@link ReplicaCall.resume} */
  data(bytes: Buffer): boolean;
  end(): void;
  fail(failure: AttemptFailure, cause: Error): void;
}

/** A call under way. */
export interface ReplicaCall {
  resume(): void;
  /** Closes the replica's connection at once, in every phase. The sink hears nothing more. */
  abort(): void;
}

/**
 * Speaks HTTP to replicas: one attempt, no policy of its own, no timer but the connect timeout. No stream and no
 * promise per request; the sink is called back synchronously as bytes arrive.
 */
export interface ReplicaClient {
  send(replica: ReplicaAddress, request: ReplicaRequest, sink: ReplicaSink): ReplicaCall;
  /** Lets go of connections to all replicas but these; running calls finish. */
  retain(addressKeys: ReadonlySet<string>): void;
  /** Closes every connection at once. */
  destroy(): Promise<void>;
}
