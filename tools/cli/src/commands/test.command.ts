import { Argument, type Command } from 'commander';
import { selection, type Suite, SUITES } from '../checks/check-list.js';
import { hasFailed, type Outcome, summaryLines } from '../checks/outcome.js';
import { runQualityChecks } from '../checks/run-quality-checks.js';
import { runSuite } from '../checks/run-suite.js';
import { print } from '../terminal.js';

/** `test [unit|int|e2e|interop|all]`: what CI runs. The last line on standard output is `N passed, N failed`. */
export function addTestCommand(program: Command): void {
  program
    .command('test')
    .description('run the checks and the tests; "all" is the default, one suite alone skips the checks')
    .addArgument(new Argument('[scope]').choices([...SUITES, 'all']).default('all'))
    .argument('[patterns...]', 'run only test files whose path matches')
    .action(async (scope: Suite | 'all', patterns: string[]) => {
      const outcomes = await runScope(scope, patterns);
      for (const line of summaryLines(outcomes)) print(line);
      if (hasFailed(outcomes)) process.exitCode = 1;
    });
}

async function runScope(scope: Suite | 'all', patterns: string[]): Promise<Outcome[]> {
  const { checks, suites } = selection(scope);
  const outcomes = await runQualityChecks(checks);
  for (const suite of suites) outcomes.push(await runSuite(suite, patterns));
  return outcomes;
}
