import { execFile } from 'node:child_process';

export interface ProgramResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Runs a program to its end. Never rejects: a missing program, a timeout and a bad exit code all give `ok: false`. */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, ...options }: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const limits = { ...options, timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX };
    const child = execFile(program, args, limits, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? '') });
    });
    child.stdin?.end();
  });
}
