import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository.js';

const PREPARE = join(REPOSITORY_ROOT, 'e2e', 'interop', 'prepare.ts');
const UNAVAILABLE = 3;

/**
 * Installs the real packages that the interop suite runs against.
 * @returns null when they are there, else in one sentence why they cannot be had on this machine
 * @throws when the preparation itself broke
 */
export async function interopObstacle(): Promise<string | null> {
  const child = spawn(process.execPath, [PREPARE], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  if (child.exitCode === 0) return null;
  if (child.exitCode === UNAVAILABLE) return output.trim();
  throw new Error(`${PREPARE} ended with ${child.exitCode ?? child.signalCode ?? 'nothing'}`);
}
