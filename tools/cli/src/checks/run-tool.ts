import { spawn } from 'node:child_process';
import { REPOSITORY_ROOT } from '../repository.js';

export interface ToolRun {
  code: number;
  output: string;
  seconds: number;
}

/** Runs a tool in the repository to its end. `live` shows its output on our standard error as it comes. */
export function runTool(
  command: string,
  args: string[],
  options: { live: boolean; env?: Record<string, string> },
): Promise<ToolRun> {
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: REPOSITORY_ROOT,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', options.live ? 2 : 'pipe', options.live ? 2 : 'pipe'],
  });
  let output = '';
  const keep = (bytes: Buffer): void => {
    output += bytes.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}
