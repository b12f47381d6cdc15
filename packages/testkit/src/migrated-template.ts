import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@penstock/database';
import type { Client } from 'pg';
import { databaseUrl, withAdmin } from './admin-connection.js';
import { repositoryRoot } from './repository-root.js';

/** Any number that nothing else on the server uses; chosen once. */
const TEMPLATE_LOCK = 714_205_331;

/**
 * Name of a database with all migrations of the application and nothing else. Test processes run side by side:
 * one makes the template, the others wait. The name follows from the migrations, so a changed one gives a new template.
 */
export async function migratedTemplate(app: string, serverUrl: string): Promise<string> {
  const prismaDir = join(repositoryRoot(), 'apps', app, 'prisma');
  const name = `template_${app}_${fingerprint(prismaDir)}`;
  await withAdmin(serverUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    if (!(await exists(admin, name))) await makeTemplate(admin, name, serverUrl, prismaDir);
  });
  return name;
}

/** Migrates under a working name, so that a run that was cut short leaves no half-made template behind. */
async function makeTemplate(
  admin: Client,
  name: string,
  serverUrl: string,
  prismaDir: string,
): Promise<void> {
  const unfinished = `${name}_new`;
  await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await migrate({
    url: databaseUrl(serverUrl, unfinished),
    schemaPath: join(prismaDir, 'schema.prisma'),
    migrationsDir: join(prismaDir, 'migrations'),
  });
  await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
}

async function exists(admin: Client, name: string): Promise<boolean> {
  const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  return found.rowCount === 1;
}

function fingerprint(prismaDir: string): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(prismaDir, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(prismaDir, path);
    if (statSync(file).isFile()) hash.update(path).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 12);
}
