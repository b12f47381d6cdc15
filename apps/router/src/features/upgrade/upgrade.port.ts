import type { Duplex } from 'node:stream';
import type { AppError } from '@penstock/protocol';
import type { ForwardingDeps, TunnelDialer } from '../proxy/index.js';
import type { EndpointPlan } from '../routing/index.js';
import type { Outcome, RequestRecord } from '../usage/index.js';

/** A client connection whose request asks to leave HTTP; the upgrade exchange of a front is one. */
export interface UpgradingClient {
  readonly method: string;
  readonly target: string;
  readonly peer: string;
  readonly rawHeaders: readonly string[];
  header(name: string): string | undefined;
  /** The connection, with HTTP taken off it. */
  readonly socket: Duplex;
  /** What came together with the head. */
  readonly early: Buffer;
  /** True when the process takes on nothing that may last. */
  readonly draining: boolean;
  /**
   * From here on the connection counts as in flight until it is closed.
   * @param onShutdown - called at the deadline of a drain: the connection is to be closed now
   */
  hold(onShutdown: () => void): void;
}

/** What proxying upgrades needs from the process. */
export interface UpgradeDeps extends Pick<
  ForwardingDeps,
  'selector' | 'timers' | 'timeouts' | 'maxAttempts' | 'statistics'
> {
  readonly dialer: TunnelDialer;
  /** Whether a peer is one of the operator's proxies, whose word on the client is passed on. */
  readonly trustsPeer: (address: string) => boolean;
}

/** One upgrade whose caller may reach the circuit. */
export interface UpgradeJob {
  readonly record: RequestRecord;
  readonly client: UpgradingClient;
  readonly endpoints: readonly EndpointPlan[];
  /** Headers of ours on the answer, flat. */
  readonly ownHeaders: readonly string[];
  /** No replica is left to try and nothing has gone out: whether `endpoints` are others now, which are tried instead. */
  standIn?(): boolean;
  /** Answers the client, who has nothing yet, with an error, and ends the request. */
  refuse(error: AppError): void;
  /** Called exactly once, unless `refuse` was called instead. */
  ended(outcome: Outcome): void;
}
