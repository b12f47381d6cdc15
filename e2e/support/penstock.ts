import { spawn } from 'node:child_process';

import { REPOSITORY_ROOT } from './repository-root.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `PENSTOCK_E2E_COMMAND` runs another front door, for example one that does not look for changes to build. */
export const FRONT_DOOR = process.env['PENSTOCK_E2E_COMMAND'] ?? './penstock';

/** Runs the front door as a user would, and waits for it to end. Never rejects: a failed command is a result. */
export function penstock(
  args: readonly string[],
  timeoutMs = 180_000,
  frontDoor = FRONT_DOOR,
): Promise<CommandResult> {
  return runProgram(frontDoor, args, timeoutMs);
}

/** Runs any program from the root of the repository. */
export function runProgram(
  program: string,
  args: readonly string[],
  timeoutMs = 60_000,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: REPOSITORY_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('error', (error) => (output.stderr += String(error)));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...output });
    });
  });
}
