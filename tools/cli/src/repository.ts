import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository; this file lies in tools/cli/src or, built, in tools/cli/dist. */
export const REPOSITORY_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Where fetched programs are kept. */
export const TOOLS_DIR = join(REPOSITORY_ROOT, '.tools');

/** This program, for starting the supervisor as a process of its own. */
export const CLI_ENTRY = join(REPOSITORY_ROOT, 'tools', 'cli', 'dist', 'main.js');
