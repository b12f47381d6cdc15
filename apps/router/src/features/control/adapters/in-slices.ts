import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long streams may have to wait for one slice of other work, in milliseconds. */
const SLICE_MS = 4;

/** Runs long work to its end and lets the event loop turn at those of its pauses that come after a full slice. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  let endMs = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + SLICE_MS;
  }
}
