import type { AppError } from '@penstock/protocol';
import type { ClientSink, ForwardingDeps, PullSource } from '../proxy/index.js';
import type { EndpointPlan } from '../routing/index.js';
import type { Outcome, RequestRecord } from '../usage/index.js';

/** The client's end of a request whose body is not held; the exchange of a front is one. */
export interface StreamingClient extends ClientSink {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly target: string;
  /** Address of the connection's other end. */
  readonly peer: string;
  /** Flat, `[name, value, ...]`, as received. */
  readonly rawHeaders: readonly string[];
  /** Length of the body as announced; null when it is chunked, 0 when there is none. */
  readonly declaredLength: number | null;
  /** The body as it comes, read only as fast as it is pulled. Asked for once. */
  streamBody(): PullSource;
  /** Sends the head now, in one write with what follows in this turn of the event loop. */
  flushHead(): void;
}

/** What passing requests through needs from the process. */
export interface PassthroughDeps extends Pick<
  ForwardingDeps,
  'client' | 'selector' | 'timers' | 'timeouts' | 'maxAttempts'
> {
  /** Whether a peer is one of the operator's proxies, whose word on the client is passed on. */
  readonly trustsPeer: (address: string) => boolean;
}

/** One request whose caller may reach the circuit. */
export interface PassthroughJob {
  readonly record: RequestRecord;
  readonly client: StreamingClient;
  /** The circuit; more than one where several may serve. */
  readonly endpoints: readonly EndpointPlan[];
  /** Headers of ours on the answer, flat. */
  readonly ownHeaders: readonly string[];
  /** Which pages may read the answer, flat; what the replica says of that is left out. */
  readonly corsHeaders: readonly string[];
  /** No replica is left to try and nothing has gone out: whether `endpoints` are others now, which are tried instead. */
  standIn?(): boolean;
  /** Answers the client, who has nothing yet, with an error, and ends the request. */
  refuse(error: AppError): void;
  /** Called exactly once, unless `refuse` was called instead. */
  ended(outcome: Outcome): void;
}
