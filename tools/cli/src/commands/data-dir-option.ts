import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { REPOSITORY_ROOT } from '../repository.js';

/** The one option that all commands about a stack share. */
export function dataDirOption(): Option {
  return new Option('--data-dir <path>', 'where the stack keeps its state')
    .default(join(REPOSITORY_ROOT, '.penstock'), '.penstock in the repository')
    .argParser((path: string) => resolve(path));
}
