import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { diffMigration } from './diff-migration.js';
import { migrate } from './migrate.js';
import { createMigrationFolder, type MigrationFolder } from './testing/migration-folder.js';

const THING = 'model Thing {\n  id String @id @db.Uuid\n  name String @unique\n}\n';

describe('migrations without a server', () => {
  let folder: MigrationFolder;

  beforeEach(async () => {
    folder = await createMigrationFolder();
    await folder.writeSchema(THING);
  });
  afterEach(() => folder.remove());

  it('writes the first migration', async () => {
    const sql = await diffMigration(folder);
    expect(sql).toContain('CREATE TABLE "Thing"');
    expect(sql).toContain('CREATE UNIQUE INDEX "Thing_name_key"');
  });

  it('says what is wrong with a schema that does not parse', async () => {
    await folder.writeSchema('model Thing {');
    await expect(diffMigration(folder)).rejects.toThrow(/migration could not be written/);
  });

  it('asks for a server once there are migrations to replay', async () => {
    await folder.writeMigration('20260101000000_init', 'SELECT 1;');
    await expect(diffMigration(folder)).rejects.toThrow(/--url postgresql:/);
  });

  it('refuses to migrate from an empty or broken folder before it looks for a server', async () => {
    const url = 'postgresql://localhost:1/none';
    await expect(migrate({ ...folder, url })).rejects.toThrow(/no migrations in/);
    await mkdir(join(folder.migrationsDir, '20260101000000_init'), { recursive: true });
    await expect(migrate({ ...folder, url })).rejects.toThrow(/20260101000000_init has no migration.sql/);
  });
});
