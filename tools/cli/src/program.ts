import { Command } from 'commander';
import { addBenchCommand } from './commands/bench.command.js';
import { addConformanceCommand } from './commands/conformance.command.js';
import { addDoctorCommand } from './commands/doctor.command.js';
import { addDownCommand } from './commands/down.command.js';
import { addLogsCommand } from './commands/logs.command.js';
import { addServiceCommand } from './commands/service.command.js';
import { addStatusCommand } from './commands/status.command.js';
import { addSuperviseCommand } from './commands/supervise.command.js';
import { addTestCommand } from './commands/test.command.js';
import { addUpCommand } from './commands/up.command.js';

/** All commands. Help and usage errors go to standard error like all text for people. */
export function createProgram(): Command {
  const program = new Command('./penstock')
    .description('One OpenAI-compatible address for every model a cluster serves.')
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)');
  addUpCommand(program);
  addDownCommand(program);
  addStatusCommand(program);
  addLogsCommand(program);
  addServiceCommand(program);
  addTestCommand(program);
  addBenchCommand(program);
  addConformanceCommand(program);
  addDoctorCommand(program);
  addSuperviseCommand(program);
  return program;
}
