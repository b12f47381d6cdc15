import pg from 'pg';

import { parsePostgresUrl } from './postgres-url.js';
import { waitForServer } from './wait-for-server.js';

export interface EnsureDatabaseOptions {
  /** How long to wait for a server that is still starting. Default 60 000 ms. */
  readonly waitTimeoutMs?: number;
}

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/**
 * Makes sure the URL's database exists. Safe when several processes do so at once.
 * @returns true when this call created it
 * @throws Error when the server does not answer in time, or when the database is missing and may not be created
 */
export async function ensureDatabase(url: string, options: EnsureDatabaseOptions = {}): Promise<boolean> {
  const outcome = await waitForServer(url, options.waitTimeoutMs ?? 60_000);
  if (outcome === 'ready') return false;
  return createDatabase(url);
}

async function createDatabase(url: string): Promise<boolean> {
  const { database, address, maintenanceUrl } = parsePostgresUrl(url);
  const client = new pg.Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
    return true;
  } catch (error) {
    if (wasCreatedMeanwhile(error)) return false;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Database "${database}" does not exist on ${address} and could not be created: ${reason}. ` +
        'Create it by hand, or let the user create databases.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Two starters race: the loser sees either of these, depending on how close they were. */
function wasCreatedMeanwhile(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === DUPLICATE_DATABASE || code === UNIQUE_VIOLATION;
}
