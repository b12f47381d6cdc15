import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase } from '../../src/index.js';

describe('createTestDatabase', () => {
  it('gives every caller a migrated database of its own, however many ask at once', async () => {
    const databases = await Promise.all([
      createTestDatabase('coordinator'),
      createTestDatabase('coordinator'),
      createTestDatabase('manager'),
    ]);
    const applied = await Promise.all(databases.map(({ url }) => countMigrations(url)));
    expect(new Set(databases.map(({ url }) => url)).size).toBe(3);
    expect(applied.every((count) => count > 0)).toBe(true);
    await Promise.all(databases.map((database) => database.drop()));
    await expect(countMigrations(databases[0]?.url ?? '')).rejects.toThrow(/does not exist/);
  });
});

async function countMigrations(url: string): Promise<number> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM _prisma_migrations');
    return Number(rows[0]?.count);
  } finally {
    await client.end().catch(() => undefined);
  }
}
