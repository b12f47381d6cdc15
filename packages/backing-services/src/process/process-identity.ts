import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True when a process with this id exists, whoever owns it. A zombie counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statFields(pid)?.[0] !== 'Z';
}

/**
 * When the process began, in a form only good for comparing: process ids are used again,
 * so an id alone does not tell that a process is the one we started.
 */
export function processStartMark(pid: number): string | null {
  const fields = statFields(pid);
  if (fields) return fields[19] ?? null;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** The fields of /proc/PID/stat after the program name; null where there is no /proc. */
function statFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
