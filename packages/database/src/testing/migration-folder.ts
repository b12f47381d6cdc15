import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A throw-away app folder with a Prisma schema and migrations. */
export interface MigrationFolder {
  readonly schemaPath: string;
  readonly migrationsDir: string;
  writeSchema(models: string): Promise<void>;
  writeMigration(name: string, sql: string): Promise<void>;
  remove(): Promise<void>;
}

const HEADER = `datasource db {
  provider = "postgresql"
}
`;

export async function createMigrationFolder(): Promise<MigrationFolder> {
  const root = await mkdtemp(join(tmpdir(), 'penstock-migrations-'));
  const schemaPath = join(root, 'schema.prisma');
  const migrationsDir = join(root, 'migrations');
  return {
    schemaPath,
    migrationsDir,
    writeSchema: (models) => writeFile(schemaPath, HEADER + models),
    writeMigration: async (name, sql) => {
      await mkdir(join(migrationsDir, name), { recursive: true });
      await writeFile(join(migrationsDir, name, 'migration.sql'), sql);
      await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
