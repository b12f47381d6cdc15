import { WORKER_INDEX_ARGUMENT } from './features/lifecycle/index.js';

/** The command line: what the configuration reader takes, and what a primary told its worker. */
export interface Arguments {
  readonly workerIndex: number;
  readonly argv: readonly string[];
}

/** Takes the worker index out of the arguments. */
export function readArguments(all: readonly string[]): Arguments {
  const at = all.indexOf(WORKER_INDEX_ARGUMENT);
  if (at === -1) return { workerIndex: 0, argv: all };
  return { workerIndex: Number(all[at + 1] ?? 0), argv: [...all.slice(0, at), ...all.slice(at + 2)] };
}
