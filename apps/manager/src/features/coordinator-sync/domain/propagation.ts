import type { CircuitPropagation, Propagation as WirePropagation, StrictResult } from '@penstock/protocol';

/** Why a change is still on its way, as far as anybody knows, although the request has returned. */
export type DeferredReason =
  | 'coordinator_unavailable'
  | 'coordinator_refused'
  | 'deadline'
  | 'busy'
  | NonNullable<CircuitPropagation['reason']>;

/**
 * How far a change had got when its request returned. `applied`: a router acknowledged it. `deferred`: it is committed
 * and will arrive by itself.
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

/**
 * What a change of a deployment came to. Circuits have no revision, and their acknowledgements name no node.
 * @param step - null from a coordinator that does not tell: it took the change and announced it
 */
export function ofCircuit(step: CircuitPropagation | null): Propagation {
  if (step === null) return deferred('announced', 0);
  const { status, waited_ms } = step;
  if (status === 'deferred') return deferred(step.reason ?? 'awaiting_ack', waited_ms);
  return { status, revision: null, first_ack_node: null, waited_ms };
}

/** The announcement of routes carries the whole circuit, so it decides, unless it had nothing to add to the creation. */
export function ofSteps(created: CircuitPropagation | null, routed: CircuitPropagation | null): Propagation {
  const decisive = ofCircuit(routed?.status === 'unchanged' ? created : routed);
  const waited_ms = (created?.waited_ms ?? 0) + (routed?.waited_ms ?? 0);
  return { ...decisive, waited_ms };
}

/** Nothing was proven: no node is named, because none is known. */
export const UNPROVEN: StrictResult = { confirmed: false, confirmed_nodes: [], unconfirmed_nodes: [] };
