import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { REPOSITORY_ROOT } from '../repository.js';
import { UserError } from '../user-error.js';

const BENCHMARKS = join(REPOSITORY_ROOT, 'benchmarks');

/** `bench [name]`: runs `benchmarks/<name>/run.ts` and hands all further arguments over. */
export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('run a benchmark; further arguments are its own')
    .argument('[name]', 'which one', 'proxy')
    .argument('[arguments...]')
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (name: string, args: string[]) => {
      process.exitCode = await bench(name, args);
    });
}

function bench(name: string, args: string[]): Promise<number> {
  const names = benchmarkNames();
  if (!names.includes(name)) {
    throw new UserError(`There is no benchmark "${name}". There are: ${names.join(', ') || 'none'}.`);
  }
  const entry = join(BENCHMARKS, name, 'run.ts');
  const child = spawn(process.execPath, [entry, ...args], { cwd: BENCHMARKS, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function benchmarkNames(): string[] {
  return readdirSync(BENCHMARKS).filter((name) => existsSync(join(BENCHMARKS, name, 'run.ts')));
}
