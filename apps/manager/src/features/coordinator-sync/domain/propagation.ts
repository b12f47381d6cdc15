import type { Propagation as WirePropagation, StrictResult } from '@penstock/protocol';

/** Why a change is still on its way although the request has returned. */
export type DeferredReason =
  'coordinator_unavailable' | 'coordinator_refused' | 'deadline' | 'busy' | 'awaiting_ack';

/**
 * How far a change had got when its request returned. `applied`: a router acknowledged it, or, for deployments, the
 * coordinator took it and announced it. `deferred`: it is committed and will arrive by itself.
 */
export interface Propagation {
  readonly status: WirePropagation['status'];
  readonly revision: string | null;
  readonly first_ack_node: string | null;
  readonly waited_ms: number;
  readonly reason?: DeferredReason;
}

/** What one push of one entity came to. */
export interface PushResult {
  /** Version of the outbox row that was read before the state was; null when there was no row. */
  readonly version: bigint | null;
  readonly propagation: Propagation;
  readonly strict?: StrictResult;
}

export function deferred(reason: DeferredReason, waitedMs: number): Propagation {
  return {
    status: 'deferred',
    revision: null,
    first_ack_node: null,
    waited_ms: Math.round(waitedMs),
    reason,
  };
}

/** Nothing was proven: no node is named, because none is known. */
export const UNPROVEN: StrictResult = { confirmed: false, confirmed_nodes: [], unconfirmed_nodes: [] };
