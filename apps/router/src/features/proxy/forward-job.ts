import type { AppError } from '@penstock/protocol';
import type { EndpointPlan, TargetSelector } from '../routing/index.js';
import type { CircuitStatistics, Outcome, RequestRecord } from '../usage/index.js';
import type { ClientSink } from './client-sink.port.js';
import type { Timeouts } from './deadlines.js';
import type { ModelDiscovery } from './model-discovery.js';
import type { ReplicaClient } from './replica-client.port.js';
import type { TimerWheel } from './timer-wheel.js';

/** What every request's forwarding needs from the process. */
export interface ForwardingDeps {
  readonly client: ReplicaClient;
  readonly selector: TargetSelector;
  readonly discovery: ModelDiscovery;
  readonly timers: TimerWheel;
  readonly maxAttempts: number;
  readonly timeouts: Timeouts;
  readonly statistics: CircuitStatistics;
}

/** One request on its way to a replica. */
export interface ForwardJob {
  readonly record: RequestRecord;
  readonly client: ClientSink;
  readonly endpoints: readonly EndpointPlan[];
  readonly path: string;
  /** Flat, already filtered for a replica. */
  readonly headers: string[];
  /** Headers of ours on the answer. */
  readonly ownHeaders: readonly string[];
  readonly stripUsage: boolean;
  /** Value of `Host` for the replica; its own address when left out. */
  readonly host?: string | undefined;
  /**
   * No replica could be reached and nothing has gone out: whether `endpoints` are others now, which are tried instead.
   */
  standIn?(): boolean;
  /** The body for a replica that serves the model under this name; null leaves the caller's name. */
  bodyFor(servedModel: string | null): Buffer;
  /** The body is not needed any more. May be called before the end, and is called by the end at the latest. */
  releaseBody(): void;
  /** Answers the client, who has nothing yet, with an error. */
  refuse(error: AppError): void;
  /** Called exactly once, unless `refuse` was called instead. */
  ended(outcome: Outcome): void;
}
