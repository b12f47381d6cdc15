import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { createPrismaAdapter, ensureDatabase, isDatabaseUnavailable } from '../src/index.js';

const SERVER_URL = process.env.PENSTOCK_TEST_POSTGRES_URL ?? '';
const DATABASE = `penstock_adapter_${randomBytes(6).toString('hex')}`;

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER_URL });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Runs one statement the way a Prisma client does. */
async function ask(sql: string, options: Parameters<typeof createPrismaAdapter>[1] = {}): Promise<unknown[]> {
  const url = new URL(SERVER_URL);
  url.pathname = `/${DATABASE}`;
  const adapter = await createPrismaAdapter(url.toString(), options).connect();
  try {
    const { rows } = await adapter.queryRaw({ sql, args: [], argTypes: [] });
    return rows.flat();
  } finally {
    await adapter.dispose();
  }
}

describe('the Prisma adapter on a server in another time zone', () => {
  beforeAll(async () => {
    const url = new URL(SERVER_URL);
    url.pathname = `/${DATABASE}`;
    await ensureDatabase(url.toString());
    await onServer(`ALTER DATABASE "${DATABASE}" SET timezone TO 'Asia/Seoul'`);
  });
  afterAll(() => onServer(`DROP DATABASE IF EXISTS "${DATABASE}" WITH (FORCE)`));

  it('reads and writes times as UTC', async () => {
    expect(await ask("SELECT '2026-01-02T03:04:05Z'::timestamptz")).toEqual(['2026-01-02T03:04:05+00:00']);
    expect(await ask('SELECT CURRENT_TIMESTAMP::timestamp = now() AT TIME ZONE $$UTC$$')).toEqual([true]);
  });

  it('cancels a statement that runs longer than allowed', async () => {
    const error: unknown = await ask('SELECT pg_sleep(20)', { statementTimeoutMs: 50 }).catch(
      (e: unknown) => e,
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});
