import { spawn } from 'node:child_process';
import { REPOSITORY_ROOT } from '../repository.js';
import { UserError } from '../user-error.js';
import { passSignalsOn } from './pass-signals-on.js';

export interface ToolRun {
  code: number;
  output: string;
  seconds: number;
}

/** When a tool's work is done it gets this long to end by itself. */
const LINGER_MS = 30_000;
const CHECK_INTERVAL_MS = 500;

/**
 * Runs a tool in the repository to its end. `live` shows its output on our standard error as it comes.
 * A tool whose work `isDone` but that does not end is killed, which gives a bad exit code.
 * @throws UserError when a live run is interrupted; the tool has ended then.
 */
export function runTool(
  command: string,
  args: string[],
  options: { live: boolean; env?: Record<string, string>; isDone?: () => boolean },
): Promise<ToolRun> {
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: REPOSITORY_ROOT,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', options.live ? 2 : 'pipe', options.live ? 2 : 'pipe'],
  });
  const signals = options.live ? passSignalsOn(child) : null;
  let output = '';
  const keep = (bytes: Buffer): void => {
    output += bytes.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const watch = setInterval(() => {
    if (!options.isDone?.()) return;
    clearInterval(watch);
    setTimeout(() => child.kill('SIGKILL'), LINGER_MS).unref();
  }, CHECK_INTERVAL_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(watch);
      signals?.stop();
      if (signals?.interrupted) reject(new UserError('Interrupted.'));
      resolve({ code: code ?? 1, output, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}
