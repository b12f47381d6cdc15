import type { Circuit, RouterConfig, WorkerRequest } from '@penstock/protocol';
import type { CoordinatorFailure } from './domain/classify-status.js';

/** What a node says about itself with each heartbeat. */
export interface NodeReport {
  readonly node_id: string;
  /** Where this node answers its operator, `host:port`. */
  readonly address: string;
  readonly version: string;
  /** Revision of the last router-config applied. */
  readonly revision?: string;
}

/** The calls a router makes to its coordinator. Every one has a deadline and rejects with {@link CoordinatorError}. */
export interface CoordinatorClient {
  /** @returns the worker id, the same for all nodes of an authority */
  register(worker: WorkerRequest): Promise<string>;
  heartbeat(workerId: string, report: NodeReport): Promise<void>;
  deregister(workerId: string, nodeId: string): Promise<void>;
  circuits(workerId: string): Promise<readonly Circuit[]>;
  /** @returns null when the known revision is still the current one */
  routerConfig(workerId: string, knownRevision: string | null): Promise<RouterConfig | null>;
  close(): Promise<void>;
}

/** Why a call to the coordinator failed, in words an operator can act on and without any secret. */
export class CoordinatorError extends Error {
  constructor(
    readonly kind: CoordinatorFailure,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = 'CoordinatorError';
  }
}
