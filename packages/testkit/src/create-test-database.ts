import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { databaseUrl, withAdmin } from './admin-connection.js';
import { migratedTemplate } from './migrated-template.js';
import { testPostgresUrl } from './test-urls.js';

/** Applications that own a database. */
export type TestDatabaseApp = 'coordinator' | 'manager';

export interface TestDatabase {
  url: string;
  /** Ends all sessions on it and removes it. Safe to call twice. */
  drop(): Promise<void>;
}

/**
 * A fresh database with all migrations of the application, copied from a template that the first caller made.
 * @param serverUrl another server, for tests that stop theirs
 */
export async function createTestDatabase(
  app: TestDatabaseApp,
  serverUrl: string = testPostgresUrl(),
): Promise<TestDatabase> {
  const name = `test_${app}_${randomBytes(6).toString('hex')}`;
  const template = await migratedTemplate(app, serverUrl);
  await withAdmin(serverUrl, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => withAdmin(serverUrl, (admin) => drop(admin, name)),
  };
}

async function drop(admin: Client, name: string): Promise<void> {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
