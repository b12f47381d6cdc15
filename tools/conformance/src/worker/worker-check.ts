import type { Check } from '../checking/check.js';
import type { WorkerBench } from './worker-bench.js';
import type { WorkerMode } from './worker-suite-options.js';

export interface WorkerCheck extends Check<WorkerBench> {
  /** Workers it applies to. */
  readonly modes: readonly WorkerMode[];
}

/** Workers whose circuits have an address each. */
export const ADDRESSED: readonly WorkerMode[] = ['wildcard', 'port'];
export const EVERY_MODE: readonly WorkerMode[] = ['wildcard', 'port', 'router'];
