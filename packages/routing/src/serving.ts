import type { EndpointChoice, GroupChoice, ReplicaChoice } from './scope.js';

/** Says whether a replica may get a request now. */
export type Eligible<R> = (replica: R) => boolean;

/** A group serves when it has weight and one undrained, eligible replica. */
export function groupServes<R>(group: GroupChoice<R>, eligible: Eligible<R>): boolean {
  if (group.weight <= 0) return false;
  for (const choice of group.replicas) if (replicaServes(choice, eligible)) return true;
  return false;
}

export function replicaServes<R>(choice: ReplicaChoice<R>, eligible: Eligible<R>): boolean {
  return choice.weight > 0 && eligible(choice.replica);
}

/** The groups that share an endpoint's traffic now; those marked fallback-only count when no other serves. */
export function servingGroups<R>(
  endpoint: EndpointChoice<R>,
  eligible: Eligible<R>,
): readonly GroupChoice<R>[] {
  const serving = endpoint.groups.filter((group) => groupServes(group, eligible));
  const regular = serving.filter((group) => !group.fallbackOnly);
  return regular.length > 0 ? regular : serving;
}
