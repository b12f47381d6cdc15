import { existsSync, readdirSync } from 'node:fs';
import { logTail } from '@penstock/backing-services';
import type { Command } from 'commander';
import { LogFollower } from '../report/log-follower.js';
import { DataDir } from '../state/data-dir.js';
import { print } from '../terminal.js';
import { UserError } from '../user-error.js';
import { dataDirOption } from './data-dir-option.js';
import { wholeNumber } from './parse-number.js';

interface LogsFlags {
  dataDir: string;
  follow?: boolean;
  lines: number;
}

/** `logs [service]`: the end of one service's log, or of all, each line with its service's name. */
export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .description('what the services wrote')
    .argument('[service]', 'one service only')
    .addOption(dataDirOption())
    .option('-f, --follow', 'go on with what is written from now on')
    .option('-n, --lines <n>', 'how many lines of each', wholeNumber(0, 10_000), 50)
    .action((service: string | undefined, flags: LogsFlags) => logs(service, flags));
}

function logs(service: string | undefined, flags: LogsFlags): void {
  const dir = new DataDir(flags.dataDir);
  const names = chosenNames(dir, service);
  const show = (name: string, text: string): void => {
    for (const line of text.split('\n')) print(service ? line : `${name.padEnd(13)} ${line}`);
  };
  for (const name of names) {
    const text = flags.lines > 0 ? logTail(dir.logFile(name), flags.lines) : '';
    if (text) show(name, text);
  }
  if (!flags.follow) return;
  for (const name of names) new LogFollower(dir.logFile(name), (text) => show(name, text)).start();
}

function chosenNames(dir: DataDir, service: string | undefined): string[] {
  const files = existsSync(dir.logsDir) ? readdirSync(dir.logsDir) : [];
  const names = files.filter((file) => file.endsWith('.log')).map((file) => file.slice(0, -4));
  if (names.length === 0)
    throw new UserError(`There are no logs in ${dir.logsDir}: no stack was started there.`);
  if (service === undefined) return names.sort();
  if (names.includes(service)) return [service];
  throw new UserError(`There is no log of "${service}". There are: ${names.join(', ')}.`);
}
