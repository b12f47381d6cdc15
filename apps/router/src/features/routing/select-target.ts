import {
  leastInFlight,
  selectReplica,
  weightedRandom,
  type Selected,
  type Strategy,
} from '@penstock/routing';
import { AppError } from '@penstock/protocol';
import type { EndpointPlan, RoutePlan } from './replica-registry.js';
import type { ReplicaState } from './replica-state.js';

/** Where one attempt goes. */
export type Target = Selected<ReplicaState, EndpointPlan>;

const STRATEGIES: Record<'weighted_random' | 'least_in_flight', Strategy<ReplicaState>> = {
  weighted_random: weightedRandom(),
  least_in_flight: leastInFlight(),
};

interface TargetSelectorOptions {
  readonly strategy: 'weighted_random' | 'least_in_flight';
  readonly random: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Chooses the replica of each attempt from a route plan and what is known of the replicas at that moment. */
export class TargetSelector {
  constructor(private readonly options: TargetSelectorOptions) {}

  /**
   * @param tried - replicas this request has tried already
   * @returns null when every undrained replica has been tried
   */
  select(endpoints: readonly EndpointPlan[], tried: readonly ReplicaState[]): Target | null {
    // With every replica ejected a doubtful one is still better than a certain refusal.
    const untried = (replica: ReplicaState) => !tried.includes(replica);
    return this.selectFit(endpoints, tried) ?? this.choose(endpoints, untried);
  }

  /** The same, but null also when all that is left is ejected: for those who have an answer in hand. */
  selectFit(endpoints: readonly EndpointPlan[], tried: readonly ReplicaState[]): Target | null {
    const nowMs = this.options.now();
    return this.choose(endpoints, (replica) => replica.health.eligible(nowMs) && !tried.includes(replica));
  }

  private choose(endpoints: readonly EndpointPlan[], eligible: (replica: ReplicaState) => boolean) {
    const { random, strategy } = this.options;
    return selectReplica({ endpoints, eligible, random, strategy: STRATEGIES[strategy] });
  }
}

/**
 * The endpoints of a plan that take this client.
 * @throws AppError `client_ip_not_allowed` when none does
 */
export function admittingEndpoints(plan: RoutePlan, peer: string): readonly EndpointPlan[] {
  if (!plan.restricted) return plan.endpoints;
  const admitting = plan.endpoints.filter(({ target }) => target.allowsClient?.(peer) ?? true);
  if (admitting.length > 0) return admitting;
  throw new AppError('client_ip_not_allowed', 'This client address may not call this model.');
}
