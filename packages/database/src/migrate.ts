import { readFile } from 'node:fs/promises';

import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';

import { ensureDatabase } from './ensure-database.js';
import { describeEngineError } from './engine-error.js';
import { MigrationAdapterFactory } from './migration-adapter.js';
import { readMigrationList } from './migration-list.js';
import { withMigrationLock } from './migration-lock.js';
import { withSchemaEngine } from './schema-engine.js';

/** The two calls of a logger that migrations need; pino fits. */
export interface MigrationLogger {
  info(fields: object, message: string): void;
}

export interface MigrateOptions {
  readonly url: string;
  readonly schemaPath: string;
  readonly migrationsDir: string;
  readonly logger?: MigrationLogger;
  /** How long to wait for a server that is still starting. Default 60 000 ms. */
  readonly waitTimeoutMs?: number;
  /** How long to wait for another starter that is migrating. Default 120 000 ms. */
  readonly lockTimeoutMs?: number;
}

/**
 * Brings the database up to the newest migration: waits for the server, creates the database, applies what is pending.
 * Any number of starters may call it at once; one applies, the others wait and find nothing to do.
 * @returns names of the migrations this call applied
 * @throws Error in plain words, naming the migration that failed
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrationList(options.migrationsDir);
  if (migrations.migrationDirectories.length === 0) {
    throw new Error(`There are no migrations in ${migrations.baseDir}: is the installation complete?`);
  }
  await ensureDatabase(options.url, { waitTimeoutMs: options.waitTimeoutMs ?? 60_000 });
  const applied = await withMigrationLock(options.url, options.lockTimeoutMs ?? 120_000, () =>
    applyPending(options, migrations),
  );
  options.logger?.info({ applied }, applied.length > 0 ? 'database migrated' : 'database is up to date');
  return applied;
}

async function applyPending(options: MigrateOptions, migrationsList: MigrationList): Promise<string[]> {
  const schema = { path: options.schemaPath, content: await readFile(options.schemaPath, 'utf8') };
  try {
    return await withSchemaEngine(schema, new MigrationAdapterFactory(options.url), async (engine) => {
      await forgetFailedAttempts(engine, migrationsList);
      const result = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
      return result.appliedMigrationNames;
    });
  } catch (error) {
    throw describeEngineError(error, 'The database could not be migrated');
  }
}

const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * An attempt that failed, say because the server stopped, stays on record and would block every later start. A file
 * is applied as one transaction, so the attempt left nothing behind and may simply be repeated.
 */
async function forgetFailedAttempts(engine: SchemaEngine, migrationsList: MigrationList): Promise<void> {
  const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  for (const migrationName of failedMigrationNames) await engine.markMigrationRolledBack({ migrationName });
}
