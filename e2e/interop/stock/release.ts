import { join } from 'node:path';

import { REPOSITORY_ROOT } from '../../support/repository-root.ts';

/** The AppProxy release that the suites run against. */
export const STOCK_VERSION = '26.9.6';
export const STOCK_PACKAGES = ['backend.ai-appproxy-coordinator', 'backend.ai-appproxy-worker'] as const;

/** Fixes what the packages pull in: a new release of a library must not change what is tested. */
export const CONSTRAINTS = join(REPOSITORY_ROOT, 'e2e', 'interop', 'stock', 'constraints.txt');

export const VENV = join(REPOSITORY_ROOT, '.penstock', 'interop', 'venv');

/** A program of the installed packages. */
export function stockProgram(name: string): string {
  return join(VENV, 'bin', name);
}
