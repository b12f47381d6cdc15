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

/**
 * Takes from the list until it is empty; several stages share one. What does not look like a proof is tried once more
 * with more patience: on a busy machine other checks are red for being slow.
 */
async function proveFrom(
  waiting: WorkerCheck[],
  stage: Stage,
  target: WorkerProofTarget,
  passed: readonly Passed[],
): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { id, mutation } = next;
    const reached = mutation.rewriter().call ? CALLS : reachedBy(mutation.rewriter(), passed);
    const red = (sure: boolean): Promise<string[]> => {
      const rewriter = mutation.rewriter();
      return rewriter.call ? redAtStart(target, rewriter, id, sure) : stage.red(rewriter, reached, sure);
    };
    const found = await red(false);
    const isProof = found.join() === id;
    proofs.push({
      id,
      fault: mutation.fault,
      found: isProof ? found : await red(true),
      reached: reached.length,
    });
  }
  return proofs;
}

/** What looks at the calls of a worker. */
const CALLS = ['start.*', 'departure.delete'];

async function redAtStart(
  target: WorkerProofTarget,
  rewriter: Rewriter,
  id: string,
  sure: boolean,
): Promise<string[]> {
  const stage = await Stage.open(target, rewriter);
  try {
    return await stage.red(rewriter, id === 'departure.delete' ? CALLS : ['start.*'], sure);
  } finally {
    await stage.close();
  }
}
