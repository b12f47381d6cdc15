import type { Command } from 'commander';
import { examineMachine } from '../doctor/examine-machine.js';
import { examineStack } from '../doctor/examine-stack.js';
import { findingLines } from '../doctor/finding.js';
import { print } from '../terminal.js';
import { addStackOptions, stackOptions, type UpFlags } from './up-options.js';

/** `doctor`: what is installed, which ports are free, what would be used, and why something failed. */
export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('what is installed, which ports are free, and why something failed; takes the options of up')
    .option('--json', 'as one JSON object');
  addStackOptions(command).action(async (flags: UpFlags) => {
    const findings = [...(await examineMachine()), ...(await examineStack(stackOptions(flags)))];
    const healthy = findings.every(({ level }) => level !== 'problem');
    print(flags.json ? JSON.stringify({ healthy, findings }) : findings.flatMap(findingLines).join('\n'));
    if (!healthy) process.exitCode = 1;
  });
}
