import type { Circuit, WorkerRequest } from '@penstock/protocol';
import type { PulledConfig } from './domain/apply-pull.js';
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

/** What a router has already of what it asks for. */
export interface HeldConfig extends Pick<PulledConfig, 'publications' | 'keys'> {
  /** Null asks for everything, whatever is held. */
  readonly revision: string | null;
}

/** The calls a router makes to its coordinator. Every one has a deadline and rejects with {@link CoordinatorError}. */
export interface CoordinatorClient {
  /** @returns the worker id, the same for all nodes of an authority */
  register(worker: WorkerRequest): Promise<string>;
  heartbeat(workerId: string, report: NodeReport): Promise<void>;
  deregister(workerId: string, nodeId: string): Promise<void>;
  /** @returns all circuits of the worker; those equal to held ones are the held ones */
  circuits(workerId: string, held: ReadonlyMap<string, Circuit>): Promise<readonly Circuit[]>;
  /** @returns null when the held revision is still the current one; entities equal to held ones are the held ones */
  routerConfig(workerId: string, held: HeldConfig): Promise<PulledConfig | null>;
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
