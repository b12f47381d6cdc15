import type { EndpointChoice, GroupChoice } from '@penstock/routing';
import type { EndpointTarget, GroupTarget, ModelRoute, ReplicaTarget, Snapshot } from '../snapshot/index.js';
import { ReplicaState } from './replica-state.js';

/** An endpoint of a model with its replicas' states, ready for selection. */
export interface EndpointPlan extends EndpointChoice<ReplicaState> {
  readonly target: EndpointTarget;
}

/** What one model name resolves to under one snapshot. */
export interface RoutePlan {
  readonly endpoints: readonly EndpointPlan[];
  /** False when no endpoint looks at the client's address, which spares the look. */
  readonly restricted: boolean;
}

/**
 * Ties snapshots, which come and go, to replica states, which stay. Health and in-flight counts belong to the group, so
 * publications that map the same endpoint share them.
 */
export class ReplicaRegistry {
  private readonly states = new Map<string, ReplicaState>();
  private readonly plans = new WeakMap<ModelRoute, RoutePlan>();
  private readonly endpoints = new WeakMap<EndpointTarget, EndpointPlan>();
  private readonly groups = new WeakMap<GroupTarget, GroupChoice<ReplicaState>>();

  /** Made on first use after a swap; the same object for every request under that snapshot. */
  plan(route: ModelRoute): RoutePlan {
    const known = this.plans.get(route);
    if (known !== undefined) return known;
    const endpoints: EndpointPlan[] = [];
    for (const { ratio, endpoint } of route.endpoints) {
      if (endpoint === null) continue;
      endpoints.push({ ...this.endpoint(endpoint), weight: ratio });
    }
    const plan = { endpoints, restricted: endpoints.some(({ target }) => target.allowsClient !== null) };
    this.plans.set(route, plan);
    return plan;
  }

  /** The endpoint alone, of weight 1; the same object for as long as the endpoint stays the same. */
  endpoint(target: EndpointTarget): EndpointPlan {
    const known = this.endpoints.get(target);
    if (known !== undefined) return known;
    const plan = { weight: 1, groups: target.groups.map((group) => this.group(group)), target };
    this.endpoints.set(target, plan);
    return plan;
  }

  group(target: GroupTarget): GroupChoice<ReplicaState> {
    const known = this.groups.get(target);
    if (known !== undefined) return known;
    const replicas = target.replicas.map((replica) => ({
      replica: this.state(target, replica),
      weight: replica.ratio,
    }));
    const group = { weight: target.weight, fallbackOnly: target.fallbackOnly, replicas };
    this.groups.set(target, group);
    return group;
  }

  /** Forgets replicas a snapshot no longer names. Requests under way keep the state object they hold. */
  retain(snapshot: Snapshot): ReadonlySet<string> {
    const named = new Set<string>();
    const addresses = new Set<string>();
    for (const group of snapshot.endpoints.flatMap((endpoint) => endpoint.groups)) {
      for (const replica of group.replicas) {
        named.add(stateKey(group, replica));
        addresses.add(`${replica.host}:${replica.port}`);
      }
    }
    for (const key of this.states.keys()) if (!named.has(key)) this.states.delete(key);
    return addresses;
  }

  private state(group: GroupTarget, replica: ReplicaTarget): ReplicaState {
    const key = stateKey(group, replica);
    let state = this.states.get(key);
    if (state === undefined) {
      state = new ReplicaState(replica.routeId, replica.host, replica.port);
      this.states.set(key, state);
    }
    return state;
  }
}

function stateKey(group: GroupTarget, replica: ReplicaTarget): string {
  return `${group.key} ${replica.routeId} ${replica.host}:${replica.port}`;
}
