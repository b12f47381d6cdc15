import type { AddressInfo } from 'node:net';
import type { Logger, Metrics } from '@penstock/observability';
import type { ReplicaClientKind } from '../proxy/index.js';
import type { GroupView } from '../routing/index.js';
import type { SnapshotStore } from '../snapshot/index.js';
import type { CircuitStatistics } from '../usage/index.js';
import type { CircuitFallback } from '../wildcard/index.js';

/** Where a listener binds; port 0 asks the system for a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings of the data plane. Every field is an operator's setting; durations in milliseconds, sizes in bytes. */
export interface DataPlaneSettings {
  readonly bodyLimitBytes: number;
  readonly timeouts: {
    readonly connectMs: number;
    /** Longest wait for the head of a replica's answer. */
    readonly headersMs: number;
    /** The same for a streamed answer, whose head does not wait for its tokens. */
    readonly streamHeadersMs: number;
    /** Longest silence between two pieces of an answer, and longest stall of a reading client. */
    readonly idleMs: number;
    /** Longest life of one request, retries included. */
    readonly requestMs: number;
  };
  /** Attempts that may reach a replica. Walking past replicas that cannot be connected to is not counted. */
  readonly maxAttempts: number;
  readonly strategy: 'weighted_random' | 'least_in_flight';
  readonly hideUngrantedModels: boolean;
  readonly trustedProxies: readonly string[];
  readonly corsAllowedOrigins: readonly string[];
  readonly replicaNetworks: readonly string[];
  readonly replicaClient: ReplicaClientKind;
  /** Processes that share this instance's rates and limits. */
  readonly processes: number;
  /** For the whole instance; each process takes its share. */
  readonly maxInFlight: number;
  /** Request bodies held at once by the whole instance. */
  readonly maxBufferedBytes: number;
  /** The public listener serves by host; null: by model name and key. Taken at the start. */
  readonly wildcard: (HostSettings & { readonly aggregationHosts: readonly string[] }) | null;
  /** The internal listener; null leaves it out. Taken at the start. */
  readonly internal: HostSettings | null;
}

/** A listener on which endpoints have hosts of their own. */
interface HostSettings {
  /** With its leading dot. */
  readonly domain: string;
  readonly jwtSecret: string;
}

/** The listeners of a data plane. */
export type ListenerName = 'public' | 'internal';

/** How long a request may take to arrive, in milliseconds. */
export interface ArrivalLimits {
  /** From the first byte of a head to its last. */
  readonly headMs: number;
  /** From the first byte of a head to the last of its body. */
  readonly bodyMs: number;
  /** How often arrivals are looked at, which is how late an expiry may be noticed. */
  readonly checkEveryMs: number;
}

/** What the composition root hands in. `random`, `now` and `arrival` are for tests. */
export interface DataPlaneOptions {
  readonly snapshots: SnapshotStore;
  readonly settings: DataPlaneSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Wall clock in milliseconds since the epoch. */
  readonly now?: () => number;
  readonly arrival?: ArrivalLimits;
  readonly statistics?: CircuitStatistics;
  /** Who stands in for circuits that are down; nobody by default. */
  readonly fallback?: CircuitFallback;
}

/** The public and the internal listener of one process, their requests, and how they end. */
export interface DataPlane {
  /**
   * Opens one of the listeners that the settings name.
   * @throws the system's error (`EADDRINUSE`, ...) when the address cannot be bound
   */
  listen(listener: ListenerName, address: ListenAddress): Promise<AddressInfo>;
  /**
   * Takes over the settings that are looked at per request: CORS, trusted proxies, hidden models, attempts and timeouts
   * (but for connecting). The rest sizes what was built at the start and stays.
   */
  reconfigure(settings: DataPlaneSettings): void;
  /** From here on every answer carries `connection: close`; connections are still accepted. Safe to repeat. */
  beginDraining(): void;
  /** Closes the listening sockets and idle connections. Implies {@link beginDraining}. Safe to repeat. */
  stopAccepting(): void;
  /**
   * Waits until every accepted request has ended and its bytes are flushed, at most `deadlineMs`, then closes what is
   * left, replica connections included. Implies {@link stopAccepting}.
   * @returns how many requests were cut off by the deadline
   */
  drain(deadlineMs: number): Promise<{ readonly cutOff: number }>;
  /** Requests accepted and not yet ended. */
  readonly inFlight: number;
  groups(): readonly GroupView[];
}
