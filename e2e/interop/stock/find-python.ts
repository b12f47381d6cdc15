import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { runProgram } from './run-program.ts';

export interface Python {
  readonly executable: string;
  /** The third number of its version. */
  readonly patch: number;
}

const PROBE = 'import sys; print(*sys.version_info[:3], sys.executable)';
const PROBE_TIMEOUT_MS = 20_000;

/** A Python 3.13 from PATH or from pyenv, the newest first; null when there is none. */
export async function findPython(): Promise<Python | null> {
  for (const candidate of ['python3.13', ...pyenvCandidates(), 'python3']) {
    const { ok, stdout } = await runProgram(candidate, ['-c', PROBE], { timeoutMs: PROBE_TIMEOUT_MS });
    const found = ok ? /^3 13 (\d+) (.+)\n$/.exec(stdout) : null;
    if (found?.[1] && found[2]) return { executable: found[2], patch: Number(found[1]) };
  }
  return null;
}

/** The shim of pyenv only works for a version that was switched on, so its installed versions are looked for. */
function pyenvCandidates(): string[] {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  return directoryNames(versions)
    .filter((name) => /^3\.13\.\d+$/.test(name))
    .sort((left, right) => right.localeCompare(left, 'en', { numeric: true }))
    .map((name) => join(versions, name, 'bin', 'python3.13'));
}

function directoryNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
