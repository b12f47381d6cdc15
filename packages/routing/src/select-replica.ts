import { pickWeighted } from './pick-weighted.js';
import type { EndpointChoice, GroupChoice, ReplicaChoice } from './scope.js';
import { replicaServes, servingGroups, type Eligible } from './serving.js';

/** Picks one of a group's serving replicas. Never called with an empty list. */
export type Strategy<R> = (choices: readonly ReplicaChoice<R>[], random: () => number) => ReplicaChoice<R>;

/** What one selection looks at. */
export interface Selection<R, E extends EndpointChoice<R>> {
  readonly endpoints: readonly E[];
  readonly eligible: Eligible<R>;
  readonly strategy: Strategy<R>;
  readonly random: () => number;
}

/** The endpoint and the replica a request goes to. */
export interface Selected<R, E extends EndpointChoice<R>> {
  readonly endpoint: E;
  readonly replica: R;
}

/**
 * Endpoint by ratio, group by traffic weight, replica by strategy. Children that do not serve forfeit their share to
 * their siblings. Pure: the same random numbers give the same choice.
 * @returns null when nothing serves
 */
export function selectReplica<R, E extends EndpointChoice<R>>(
  selection: Selection<R, E>,
): Selected<R, E> | null {
  const { eligible, random } = selection;
  const candidates: { readonly endpoint: E; readonly groups: readonly GroupChoice<R>[] }[] = [];
  for (const endpoint of selection.endpoints) {
    if (endpoint.weight <= 0) continue;
    const groups = servingGroups(endpoint, eligible);
    if (groups.length > 0) candidates.push({ endpoint, groups });
  }
  const chosen = pick(candidates, (candidate) => candidate.endpoint.weight, random);
  if (chosen === undefined) return null;
  const group = pick(chosen.groups, (candidate) => candidate.weight, random);
  const choices = group?.replicas.filter((choice) => replicaServes(choice, eligible)) ?? [];
  if (choices.length === 0) return null;
  return { endpoint: chosen.endpoint, replica: selection.strategy(choices, random).replica };
}

function pick<T>(items: readonly T[], weight: (item: T) => number, random: () => number): T | undefined {
  if (items.length <= 1) return items[0];
  return items[pickWeighted(items.map(weight), random())];
}
