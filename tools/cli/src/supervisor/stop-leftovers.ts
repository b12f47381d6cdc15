import { waitUntil } from '@penstock/backing-services';
import type { Progress } from '@penstock/backing-services';
import { type RecordedProcess, type ServiceState, type StackState, stillRuns } from '../state/stack-state.js';

const POLITE_WAIT_MS = 15_000;
const FORCED_WAIT_MS = 5_000;

/** Stops what a supervisor that was killed left running. Later services go first. */
export async function stopLeftovers(state: StackState | null, progress: Progress): Promise<number> {
  const running = (state?.services ?? []).filter(({ process }) => process !== null && stillRuns(process));
  for (const service of running.reverse()) {
    progress(`Stopping ${service.name}, left over from an earlier run ...`);
    await stopLeftover(service);
  }
  return running.length;
}

async function stopLeftover({ name, process: recorded }: ServiceState): Promise<void> {
  if (!recorded) return;
  // PostgreSQL's SIGTERM waits for clients to leave; SIGINT sends them away.
  signal(recorded, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  if (await gone(recorded, POLITE_WAIT_MS)) return;
  signal(recorded, 'SIGKILL');
  await gone(recorded, FORCED_WAIT_MS);
}

function gone(recorded: RecordedProcess, timeoutMs: number): Promise<boolean> {
  return waitUntil(() => Promise.resolve(!stillRuns(recorded)), timeoutMs);
}

function signal(recorded: RecordedProcess, name: NodeJS.Signals): void {
  if (stillRuns(recorded)) process.kill(recorded.pid, name);
}
