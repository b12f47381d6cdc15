import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../process/process-identity.js';
import { waitUntil } from '../process/wait-until.js';

/** Stops a server that still runs on this data directory because whoever started it was killed. */
export async function stopLeftoverServer(dataDir: string): Promise<void> {
  const pid = serverPid(dataDir);
  if (pid === null || !isAlive(pid) || !isPostgres(pid)) return;
  process.kill(pid, 'SIGINT');
  await waitUntil(() => Promise.resolve(!isAlive(pid)), 15_000);
}

function serverPid(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/** After a reboot the id in the file can belong to any other program. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return false;
  }
}
