import type { EndpointPlan } from '../routing/index.js';
import type { EndpointTarget } from '../snapshot/index.js';

/** A request whose caller may reach its circuit, but which no replica of the circuit could serve. */
export interface StrandedRequest {
  readonly circuit: EndpointTarget;
  readonly requestId: string;
}

/**
 * Says who serves in place of a circuit whose replicas are all down. It is asked after the credential has been checked
 * and before any content has gone out, at most once per request; what it names is tried like the circuit's own
 * replicas. Must not block.
 */
export interface CircuitFallback {
  /** @returns who to try instead; nobody lets the refusal stand */
  plansFor(request: StrandedRequest): readonly EndpointPlan[];
}
