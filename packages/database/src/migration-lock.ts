import pg from 'pg';

/** Any constant will do as long as all starters use the same; chosen at random once. */
const LOCK_KEY = '7201884932251';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `work` while holding the database's migration lock. The lock belongs to a session, so a starter that dies
 * releases it with its connection.
 * @throws Error when another starter holds the lock longer than `timeoutMs`
 */
export async function withMigrationLock<T>(
  url: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeLock(client, timeoutMs);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function takeLock(client: pg.Client, timeoutMs: number): Promise<void> {
  await client.query("SELECT set_config('lock_timeout', $1, false)", [`${Math.round(timeoutMs)}ms`]);
  try {
    await client.query('SELECT pg_advisory_lock($1::bigint)', [LOCK_KEY]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new Error(
      `Another process has been migrating this database for ${Math.round(timeoutMs / 1000)} s. ` +
        'Wait for it, or look for a stuck session in pg_stat_activity.',
      { cause: error },
    );
  }
}
