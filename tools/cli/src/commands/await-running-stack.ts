import { waitUntil } from '@penstock/backing-services';
import type { DataDir } from '../state/data-dir.js';
import { readState } from '../state/stack-state.js';
import { UserError } from '../user-error.js';

const START_TIMEOUT_MS = 180_000;

/** Another process may still be starting the stack: waits until it is ready. @throws UserError when it does not come up. */
export async function awaitRunningStack(dir: DataDir): Promise<void> {
  const phase = (): string | undefined => readState(dir.stateFile)?.phase;
  const ended = (): boolean => ['failed', 'stopped', 'stopping'].includes(phase() ?? '');
  const ready = await waitUntil(() => Promise.resolve(phase() === 'ready'), START_TIMEOUT_MS, ended);
  if (!ready) throw new UserError('The stack that runs here did not become ready: see ./penstock status.');
}
