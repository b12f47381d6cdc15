import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { processStartMark } from '@penstock/backing-services';

const POLL_MS = 250;

/**
 * Does work that no other process on this machine may do meanwhile; waits while one does. A lock whose process has
 * ended counts for nothing.
 * @param onWait - called once when somebody else has it
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let waits = 0; !takeLock(file); waits += 1) {
    if (waits === 0) onWait();
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function takeLock(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${processStartMark(process.pid)}`);
  try {
    // A link appears with its content, so nobody reads a lock that names nobody yet.
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isHeld(file: string): boolean {
  try {
    const [pid, mark] = readFileSync(file, 'utf8').split(' ');
    return processStartMark(Number(pid)) === mark;
  } catch {
    return false;
  }
}
