import { Argument, type Command } from 'commander';
import { DataDir } from '../state/data-dir.js';
import { sendControl } from '../supervisor/control-client.js';
import type { ControlRequest } from '../supervisor/control-protocol.js';
import { isHeld } from '../supervisor/supervisor-lock.js';
import { tell } from '../terminal.js';
import { UserError } from '../user-error.js';
import { dataDirOption } from './data-dir-option.js';

type Action = Extract<ControlRequest, { command: 'service' }>['action'];

/** `service stop|start|restart <name>`: one service of a running stack. */
export function addServiceCommand(program: Command): void {
  program
    .command('service')
    .description('stop, start or restart one service of a running stack')
    .addArgument(new Argument('<action>').choices(['start', 'stop', 'restart']))
    .argument('<name>', 'for example redis, coordinator or router-2; ./penstock status lists them')
    .addOption(dataDirOption())
    .action(async (action: Action, name: string, { dataDir }: { dataDir: string }) => {
      const dir = new DataDir(dataDir);
      if (!isHeld(dir.lockFile))
        throw new UserError(`No stack runs in ${dir.path}: start one with ./penstock up.`);
      await sendControl(dir.controlSocket, { command: 'service', action, name }, tell);
    });
}
