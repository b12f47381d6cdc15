import { pickWeighted } from './pick-weighted.js';
import type { ReplicaChoice } from './scope.js';
import type { Strategy } from './select-replica.js';

/** Each replica in proportion to its weight, independent of what it is doing. */
export function weightedRandom<R>(): Strategy<R> {
  return (choices, random) => {
    const first = choices[0] as ReplicaChoice<R>;
    if (choices.length === 1) return first;
    const index = pickWeighted(
      choices.map((choice) => choice.weight),
      random(),
    );
    return choices[index] ?? first;
  };
}

/**
 * The replica with the fewest requests in flight per unit of weight; equals are drawn by weight, so that an idle group
 * does not send everything to its first member.
 */
export function leastInFlight<R extends { readonly inFlight: number }>(): Strategy<R> {
  const draw = weightedRandom<R>();
  return (choices, random) => {
    let best = Infinity;
    for (const choice of choices) best = Math.min(best, load(choice));
    return draw(
      choices.filter((choice) => load(choice) === best),
      random,
    );
  };
}

function load<R extends { readonly inFlight: number }>(choice: ReplicaChoice<R>): number {
  return choice.replica.inFlight / choice.weight;
}
