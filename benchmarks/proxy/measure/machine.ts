import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';

/** Debian keeps servers in /usr/sbin, which is not on everyone's PATH. */
const EXTRA_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin'];

/** The full path of a program, or null when it is not installed. */
export function findOnPath(program: string): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...EXTRA_DIRECTORIES];
  return directories.map((directory) => join(directory, program)).find(isExecutable) ?? null;
}

/** True when processes can be tied to cores here: `taskset` is there and there are two cores. */
export const CAN_PIN = findOnPath('taskset') !== null && availableParallelism() >= 2;

/** The command tied to one core, or as it is where that cannot be done. */
export function pinned(core: number, command: readonly string[]): string[] {
  return CAN_PIN ? ['taskset', '-c', String(core), ...command] : [...command];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
