import type { Target, TargetName } from '../targets/target.ts';
import { measure, type Load, type Measurement } from './measure-round.ts';

/** The measurements of one number of connections and one body size: one row per target, one value per round. */
export interface Series {
  readonly connections: number;
  readonly bodyBytes: number;
  readonly rounds: Readonly<Partial<Record<TargetName, readonly Measurement[]>>>;
}

export interface RoundPlan {
  readonly targets: readonly Target[];
  readonly rounds: number;
  readonly bodyBytes: number;
  readonly load: Load;
  readonly progress: (text: string) => void;
}

/** A B A B: each round visits every target once, and every second round in reverse, so that drift cancels out. */
export async function runRounds({ targets, rounds, bodyBytes, load, progress }: RoundPlan): Promise<Series> {
  const measured = new Map<TargetName, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    progress(`${load.connections} connections, ${bodyBytes} bytes: round ${round + 1} of ${rounds}`);
    const order = round % 2 === 0 ? targets : [...targets].reverse();
    for (const target of order) measured.get(target.name)?.push(await measure(target, load));
  }
  return { connections: load.connections, bodyBytes, rounds: Object.fromEntries(measured) };
}
