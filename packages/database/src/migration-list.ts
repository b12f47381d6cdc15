import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm';

/**
 * Reads a folder of migrations in Prisma's own layout (`<timestamp>_<name>/migration.sql`, `migration_lock.toml`),
 * oldest first. A folder that is not there yet counts as one without migrations.
 */
export async function readMigrationList(migrationsDir: string): Promise<MigrationList> {
  const baseDir = resolve(migrationsDir);
  const names = await directoryNames(baseDir);
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readIfPresent(join(baseDir, 'migration_lock.toml')),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.map((name) => readMigration(baseDir, name))),
  };
}

async function directoryNames(baseDir: string): Promise<string[]> {
  try {
    const entries = await readdir(baseDir, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readMigration(baseDir: string, name: string): Promise<MigrationDirectory> {
  const content = await readIfPresent(join(baseDir, name, 'migration.sql'));
  if (content === null) {
    throw new Error(
      `Migration ${name} has no migration.sql: add the file or remove the folder in ${baseDir}.`,
    );
  }
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: content } } };
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
