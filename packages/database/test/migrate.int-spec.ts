import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { diffMigration, ensureDatabase, migrate } from '../src/index.js';
import { createMigrationFolder, type MigrationFolder } from '../src/testing/migration-folder.js';

const SERVER_URL = process.env.PENSTOCK_TEST_POSTGRES_URL ?? '';

const THING = 'model Thing {\n  id Int @id\n}\n';
const INIT = 'CREATE TABLE "Thing" ("id" INTEGER NOT NULL, CONSTRAINT "Thing_pkey" PRIMARY KEY ("id"));';

function urlOf(database: string): string {
  const url = new URL(SERVER_URL);
  url.pathname = `/${database}`;
  return url.toString();
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** Stands before the real server and breaks the first connections off, as a server does that is still starting. */
async function startingServer(refusals: number): Promise<{ url: string; close(): void }> {
  const { hostname, port, username, password } = new URL(SERVER_URL);
  let seen = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    seen += 1;
    if (seen <= refusals) return void socket.destroy();
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  const credentials = password === '' ? username : `${username}:${password}`;
  return { url: `postgresql://${credentials}@127.0.0.1:${address.port}`, close: () => server.close() };
}

describe('migrations on a real server', () => {
  let folder: MigrationFolder;
  let database: string;
  let url: string;

  beforeEach(async () => {
    database = `penstock_database_${randomBytes(6).toString('hex')}`;
    url = urlOf(database);
    folder = await createMigrationFolder();
    await folder.writeSchema(THING);
    await folder.writeMigration('20260101000000_init', INIT);
  });
  afterEach(async () => {
    await folder.remove();
    await query(SERVER_URL, `DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
  });

  it('creates the database and applies each migration once, however many starters there are', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate({ ...folder, url })));
    expect(applied.flat()).toEqual(['20260101000000_init']);
    expect(await migrate({ ...folder, url })).toEqual([]);
  });

  it('records migrations where prisma migrate looks for them', async () => {
    await migrate({ ...folder, url });
    const rows = await query(url, 'SELECT migration_name, applied_steps_count FROM _prisma_migrations');
    expect(rows).toEqual([{ migration_name: '20260101000000_init', applied_steps_count: 1 }]);
  });

  it('applies function bodies and texts with semicolons', async () => {
    await folder.writeMigration(
      '20260102000000_function',
      `-- one; two
       CREATE FUNCTION one() RETURNS text AS $$ BEGIN RETURN 'a;b'; END; $$ LANGUAGE plpgsql;`,
    );
    await migrate({ ...folder, url });
    expect(await query(url, 'SELECT one()')).toEqual([{ one: 'a;b' }]);
  });

  it('leaves nothing of a migration that failed, names it, and repeats it at the next start', async () => {
    await folder.writeMigration('20260102000000_more', 'CREATE TABLE half (a INT); SELECT * FROM nowhere;');
    await expect(migrate({ ...folder, url })).rejects.toThrow(/in 20260102000000_more: .*nowhere/);
    expect(await query(url, "SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
    await folder.writeMigration('20260102000000_more', 'CREATE TABLE half (a INT);');
    expect(await migrate({ ...folder, url })).toEqual(['20260102000000_more']);
  });

  it('writes the difference between the migrations and the schema, and leaves no shadow database', async () => {
    await folder.writeSchema('model Thing {\n  id Int @id\n  name String?\n}\n');
    const sql = await diffMigration({ ...folder, shadowUrl: SERVER_URL });
    expect(sql).toContain('ALTER TABLE "Thing" ADD COLUMN     "name" TEXT;');
    await folder.writeMigration('20260102000000_name', sql);
    expect(await diffMigration({ ...folder, shadowUrl: SERVER_URL })).toBe('');
    const shadows = await query(
      SERVER_URL,
      "SELECT 1 FROM pg_database WHERE datname LIKE 'prisma_migrate_shadow%'",
    );
    expect(shadows).toEqual([]);
  });

  it('waits no longer than told for a migration of another starter', async () => {
    await ensureDatabase(url);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(7201884932251)');
    try {
      await expect(migrate({ ...folder, url, lockTimeoutMs: 200 })).rejects.toThrow(/Another process/);
    } finally {
      await holder.end();
    }
  });

  it('waits for a server that is still starting', async () => {
    const server = await startingServer(3);
    try {
      expect(await ensureDatabase(`${server.url}/${database}`)).toBe(true);
      expect(await ensureDatabase(url)).toBe(false);
    } finally {
      server.close();
    }
  });

  it('tells a wrong user from a server that is away, without the password', async () => {
    const wrong = new URL(url);
    wrong.username = 'nobody_here';
    wrong.password = 'hunter2hunter2';
    await expect(ensureDatabase(wrong.toString())).rejects.toThrow(/refused the connection/);
    const away = 'postgresql://user:hunter2hunter2@127.0.0.1:1/x';
    const error: unknown = await ensureDatabase(away, { waitTimeoutMs: 300 }).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(/127\.0\.0\.1:1 did not answer/);
    expect(String(error)).not.toContain('hunter2');
  });
});
