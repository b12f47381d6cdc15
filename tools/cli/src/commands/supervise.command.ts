import type { Command } from 'commander';
import { runStack } from '../supervisor/run-stack.js';
import { tell } from '../terminal.js';
import { UserError } from '../user-error.js';
import { addStackOptions, stackOptions, type UpFlags } from './up-options.js';

/** Name of the hidden command that `up --detach` starts. */
export const SUPERVISE = 'supervise';

/** What the supervisor tells the `up` that started it, as long as that one listens. */
export type SupervisorMessage =
  { kind: 'progress'; line: string } | { kind: 'ready' } | { kind: 'failed'; reason: string };

/** The process that owns a detached stack. */
export function addSuperviseCommand(program: Command): void {
  const command = program.command(SUPERVISE, { hidden: true }).option('-d, --detach').option('--json');
  addStackOptions(command).action(async (flags: UpFlags) => supervise(flags));
}

async function supervise(flags: UpFlags): Promise<void> {
  process.on('SIGHUP', () => undefined);
  try {
    const stack = await runStack(stackOptions(flags), note);
    process.on('SIGTERM', () => void stack.stop()).on('SIGINT', () => void stack.stop());
    await stack.ready.then(
      () => send({ kind: 'ready' }),
      async (error: unknown) => {
        await stack.ended;
        throw error;
      },
    );
    await stack.ended;
  } catch (error) {
    report(error);
  }
}

function note(line: string): void {
  tell(`${new Date().toISOString()} ${line}`);
  send({ kind: 'progress', line });
}

function report(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  tell(`${new Date().toISOString()} ${error instanceof UserError ? reason : String((error as Error).stack)}`);
  send({ kind: 'failed', reason });
  process.exitCode = 1;
}

/** The starter may be gone; nothing depends on its hearing this. */
function send(message: SupervisorMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
