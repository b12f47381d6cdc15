import { execFile } from 'node:child_process';

export interface CommandResult {
  ok: boolean;
  output: string;
}

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Runs a program to its end. Never throws: a missing program, a timeout and a bad exit code all give `ok: false`. */
export function runCommand(command: string, args: string[], timeoutMs: number): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') });
    });
    child.stdin?.end();
  });
}
