import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface LibraryLink {
  source: string;
  target: string;
}

/**
 * npm archives cannot hold symbolic links, so the package lists them in a file and makes them in an install script.
 * Install scripts do not run in this workspace; the links are made here instead, on first use.
 */
export function makeLibraryLinks(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) {
    makeLink(join(packageDir, link.source), join(packageDir, link.target));
  }
}

function makeLink(source: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  try {
    symlinkSync(relative(dirname(target), source), target);
  } catch (error) {
    // Another process may make the same links at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
