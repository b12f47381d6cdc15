import type { Proof } from '../mutation/prove-mutations.js';
import type { Rewriter } from '../mutation/mutation.js';
import { type Passed, reachedBy } from '../mutation/recording.js';
import { Stage, type WorkerProofTarget } from './proof-stage.js';
import type { WorkerCheck } from './worker-check.js';
import { workerChecks } from './worker-checks.js';

/** Most faults are found by waiting in vain, so several workers are waited for at once. */
const LANES = 3;

/**
 * Proves on a conforming worker with one traffic port that every check finds its fault, and no other check does. Faults
 * in the calls of the worker need a worker of their own, as they begin with its start; all others share a few.
 */
export async function proveWorkerChecks(target: WorkerProofTarget): Promise<readonly Proof[]> {
  const stages = await Promise.all(Array.from({ length: LANES }, () => Stage.open(target, {})));
  try {
    const passed = (await stages[0]?.record()) ?? [];
    const waiting = [...workerChecks(target.mode)];
    const proofs = await Promise.all(stages.map((stage) => proveFrom(waiting, stage, target, passed)));
    return proofs.flat();
  } finally {
    await Promise.all(stages.map((stage) => stage.close()));
  }
}

/** Takes from the list until it is empty; several stages share one. */
async function proveFrom(
  waiting: WorkerCheck[],
  stage: Stage,
  target: WorkerProofTarget,
  passed: readonly Passed[],
): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { id, mutation } = next;
    const rewriter = mutation.rewriter();
    const reached = rewriter.call ? CALLS : reachedBy(mutation.rewriter(), passed);
    const found = rewriter.call ? await redAtStart(target, rewriter, id) : await stage.red(rewriter, reached);
    proofs.push({ id, fault: mutation.fault, found, reached: reached.length });
  }
  return proofs;
}

/** What looks at the calls of a worker. */
const CALLS = ['start.*', 'departure.delete'];

async function redAtStart(target: WorkerProofTarget, rewriter: Rewriter, id: string): Promise<string[]> {
  const stage = await Stage.open(target, rewriter);
  try {
    return await stage.red(rewriter, id === 'departure.delete' ? CALLS : ['start.*']);
  } finally {
    await stage.close();
  }
}
