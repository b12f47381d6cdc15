import type { Command } from 'commander';
import { stackStatus, type StackStatus } from '../report/stack-status.js';
import { DataDir } from '../state/data-dir.js';
import { print } from '../terminal.js';
import { dataDirOption } from './data-dir-option.js';

/** As init scripts answer for a service that does not run. */
const NOT_RUNNING_EXIT_CODE = 3;

/** `status`: what runs, and where. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('what runs, and where; exit code 3 when nothing does')
    .addOption(dataDirOption())
    .option('--json', 'as one JSON object')
    .action(async ({ dataDir, json }: { dataDir: string; json?: boolean }) => {
      const status = await stackStatus(new DataDir(dataDir));
      print(json ? JSON.stringify(status) : humanStatus(status));
      if (!status.running) process.exitCode = NOT_RUNNING_EXIT_CODE;
    });
}

function humanStatus(status: StackStatus): string {
  if (status.phase === null) return `No stack was ever started in ${status.data_dir}.`;
  return [
    `${status.running ? 'Running' : 'Not running'} (${status.phase}), data in ${status.data_dir}`,
    ...status.services.map(
      ({ name, status: state, pid, ports, detail }) =>
        `  ${name.padEnd(15)} ${state.padEnd(9)} ${pid === null ? '' : `pid ${pid}`.padEnd(12)} ` +
        `${ports.length > 0 ? `port ${ports.join(', ')}` : ''}${detail ? `  (${detail})` : ''}`,
    ),
    ...status.routers.map(
      ({ base_url, admin_url, ready, revision }) =>
        `  ${base_url}  ${ready ? 'ready' : 'not ready'}, revision ${revision ?? 'none'}, admin ${admin_url}`,
    ),
    ...(status.last_error ? [`Last error: ${status.last_error}`] : []),
  ].join('\n');
}
