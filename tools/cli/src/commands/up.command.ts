import type { Command } from 'commander';
import { humanSummary } from '../report/human-summary.js';
import { readReport } from '../report/read-report.js';
import { DataDir } from '../state/data-dir.js';
import { isHeld } from '../supervisor/supervisor-lock.js';
import { print, tell } from '../terminal.js';
import { awaitRunningStack } from './await-running-stack.js';
import { runDetached } from './run-detached.js';
import { runInForeground } from './run-in-foreground.js';
import { addStackOptions, stackOptions, type UpFlags } from './up-options.js';

/** `up`: start a stack, or describe the one that runs. */
export function addUpCommand(program: Command): void {
  const command = program
    .command('up')
    .description('start everything: databases, services, two demo deployments, one published model, one key')
    .option('-d, --detach', 'leave it running in the background')
    .option('--json', 'print addresses and credentials as one JSON object on standard output');
  addStackOptions(command).action(async (flags: UpFlags) => up(flags));
}

async function up(flags: UpFlags): Promise<void> {
  const dir = new DataDir(flags.dataDir);
  const report = (): Promise<void> => tellReport(dir, flags);
  if (isHeld(dir.lockFile)) {
    tell('A stack already runs here; its options stay as they are. Stop it first to change them.');
    await awaitRunningStack(dir);
    return report();
  }
  if (flags.detach) {
    await runDetached(dir);
    return report();
  }
  await runInForeground(stackOptions(flags), report);
}

async function tellReport(dir: DataDir, flags: UpFlags): Promise<void> {
  const report = await readReport(dir);
  if (flags.json) print(JSON.stringify(report));
  else for (const line of humanSummary(report, flags.detach === true)) tell(line);
}
