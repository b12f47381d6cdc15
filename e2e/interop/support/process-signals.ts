import { eventually } from '@penstock/testkit';
import { isAlive } from '@penstock/backing-services';

import type { WorkerPlace } from './site.ts';

const GONE_TIMEOUT_MS = 30_000;

/** Stops a real worker in its tracks: all its processes, which are a session of their own. */
export function freeze({ pid }: WorkerPlace): void {
  process.kill(-pid, 'SIGSTOP');
}

export function thaw({ pid }: WorkerPlace): void {
  process.kill(-pid, 'SIGCONT');
}

/** Ends a real worker in good order; it says goodbye to its coordinator on its way. */
export async function terminate({ pid }: WorkerPlace): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const check = (): void => {
    if (isAlive(pid)) throw new Error(`process ${pid} still runs`);
  };
  await eventually(check, { timeoutMs: GONE_TIMEOUT_MS, intervalMs: 50 });
}
