import type { Command } from 'commander';
import { DataDir } from '../state/data-dir.js';
import { readState } from '../state/stack-state.js';
import { sendControl } from '../supervisor/control-client.js';
import { stopLeftovers } from '../supervisor/stop-leftovers.js';
import { isHeld } from '../supervisor/supervisor-lock.js';
import { tell } from '../terminal.js';
import { dataDirOption } from './data-dir-option.js';

/** `down`: stop the stack of a data directory. Nothing running is fine. */
export function addDownCommand(program: Command): void {
  program
    .command('down')
    .description('stop a stack; its data stays')
    .addOption(dataDirOption())
    .action(async ({ dataDir }: { dataDir: string }) => down(new DataDir(dataDir)));
}

async function down(dir: DataDir): Promise<void> {
  if (isHeld(dir.lockFile)) {
    await sendControl(dir.controlSocket, { command: 'stop' }, tell);
    tell('Penstock is down.');
    return;
  }
  const stopped = await stopLeftovers(readState(dir.stateFile), tell);
  tell(stopped > 0 ? 'Penstock is down.' : `Nothing runs in ${dir.path}.`);
}
