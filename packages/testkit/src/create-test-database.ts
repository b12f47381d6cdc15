import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { databaseUrl, withAdmin } from './admin-connection.js';
import { migratedTemplate } from './migrated-template.js';
import { testPostgresUrl } from './test-urls.js';

/** Applications that own a database. */
export type TestDatabaseApp = 'coordinator' | 'manager';

export interface TestDatabase {
  url: string;
  /** Runs one statement, on a connection of its own; for what no service shows or lets a test set. */
  query<Row extends object>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
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
  const url = databaseUrl(serverUrl, name);
  return {
    url,
    query: (statement, values = []) => query(url, statement, values),
    drop: () => withAdmin(serverUrl, (admin) => drop(admin, name)),
  };
}

async function query<Row extends object>(
  url: string,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return withAdmin(url, async (client) => (await client.query<Row>(statement, [...values])).rows);
}

async function drop(admin: Client, name: string): Promise<void> {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
