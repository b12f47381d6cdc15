import { readFile } from 'node:fs/promises';

import type { DiffTarget } from '@prisma/schema-engine-wasm';

import { describeEngineError } from './engine-error.js';
import { MigrationAdapterFactory } from './migration-adapter.js';
import { readMigrationList } from './migration-list.js';
import { OfflineAdapterFactory } from './offline-adapter.js';
import { type EngineAdapterFactory, withSchemaEngine } from './schema-engine.js';

export interface DiffMigrationOptions {
  readonly schemaPath: string;
  readonly migrationsDir: string;
  /**
   * A PostgreSQL server on which a throw-away database may be created. Needed once there are migrations, because what
   * they add up to can only be seen by running them; the first migration needs no server.
   */
  readonly shadowUrl?: string;
}

/**
 * Writes the SQL that leads from the existing migrations to the schema file.
 * @returns an empty string when they agree
 */
export async function diffMigration(options: DiffMigrationOptions): Promise<string> {
  const schema = { path: options.schemaPath, content: await readFile(options.schemaPath, 'utf8') };
  const from = await startingPoint(options);
  const params = {
    from,
    to: { tag: 'schemaDatamodel' as const, files: [schema] },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  };
  try {
    const { stdout } = await withSchemaEngine(schema, adapterFor(options.shadowUrl), (engine) =>
      engine.diff(params),
    );
    return isEmptyDiff(stdout) ? '' : (stdout ?? '');
  } catch (error) {
    throw describeEngineError(error, 'The migration could not be written');
  }
}

function adapterFor(shadowUrl: string | undefined): EngineAdapterFactory {
  return shadowUrl === undefined ? new OfflineAdapterFactory() : new MigrationAdapterFactory(shadowUrl);
}

async function startingPoint(options: DiffMigrationOptions): Promise<DiffTarget> {
  const migrations = await readMigrationList(options.migrationsDir);
  if (migrations.migrationDirectories.length === 0) return { tag: 'empty' };
  if (options.shadowUrl === undefined) {
    throw new Error(
      `There are migrations in ${migrations.baseDir} already. Name a PostgreSQL server to replay them on ` +
        '(a temporary database is created and dropped): --url postgresql://user:password@host:port/postgres.',
    );
  }
  return { tag: 'migrations', ...migrations };
}

function isEmptyDiff(sql: string | null): boolean {
  return sql === null || /^(\s|--[^\n]*(\n|$))*$/.test(sql);
}
