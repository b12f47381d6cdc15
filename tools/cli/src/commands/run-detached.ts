import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { CLI_ENTRY } from '../repository.js';
import type { DataDir } from '../state/data-dir.js';
import { tell } from '../terminal.js';
import { UserError } from '../user-error.js';
import { SUPERVISE, type SupervisorMessage } from './supervise.command.js';

/** Starts the supervisor in a session of its own and waits until the stack is ready. */
export async function runDetached(dir: DataDir): Promise<void> {
  dir.create();
  const child = spawnSupervisor(dir);
  const stopChild = (): void => void child.kill('SIGTERM');
  process.once('SIGINT', stopChild).once('SIGTERM', stopChild);
  try {
    await outcome(child, dir);
  } finally {
    process.off('SIGINT', stopChild).off('SIGTERM', stopChild);
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function spawnSupervisor(dir: DataDir): ChildProcess {
  const log = openSync(dir.logFile('supervisor'), 'a', 0o600);
  try {
    // The same flags as ours: the supervisor ignores those that are about output.
    const args = [CLI_ENTRY, SUPERVISE, ...process.argv.slice(3)];
    return spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log, 'ipc'] });
  } finally {
    closeSync(log);
  }
}

function outcome(child: ChildProcess, dir: DataDir): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(
        new UserError(
          `The supervisor ended (${signal ?? `exit code ${code}`}): see ${dir.logFile('supervisor')}.`,
        ),
      ),
    );
    child.on('message', (message: SupervisorMessage) => {
      if (message.kind === 'progress') tell(message.line);
      if (message.kind === 'ready') resolve();
      if (message.kind === 'failed') reject(new UserError(message.reason));
    });
  });
}
