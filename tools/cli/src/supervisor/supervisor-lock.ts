import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { recordProcess, stillRuns } from '../state/stack-state.js';

const holderSchema = z.object({ pid: z.int().min(2), mark: z.string().nullable() });

/** Takes the data directory for this process. False when another living process holds it. */
export function takeLock(file: string): boolean {
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(recordProcess(process.pid)), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isHeld(file)) return false;
    rmSync(file, { force: true });
  }
}

/** True when a living process holds the data directory. */
export function isHeld(file: string): boolean {
  try {
    return stillRuns(holderSchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return false;
  }
}

export function releaseLock(file: string): void {
  rmSync(file, { force: true });
}
