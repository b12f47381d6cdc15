import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { parsePostgresUrl } from './postgres-url.js';

const DATABASE_MISSING = '3D000';
const RETRY_EVERY_MS = 250;

/** SQLSTATE classes and socket errors that a server shows while it starts, restarts or is full. */
const TRANSIENT = [/^57P0/, /^08/, /^53/, /^E(CONN|HOST|NET|AI_AGAIN|PIPE|TIMEDOUT)/, /^ENOTFOUND$/];

/**
 * Waits until the server takes connections to the URL's database.
 * @returns 'ready', or 'database-missing' when the server answers but has no such database
 * @throws Error after `timeoutMs`, or at once for what waiting cannot mend (wrong password, no permission)
 */
export async function waitForServer(url: string, timeoutMs: number): Promise<'ready' | 'database-missing'> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const failure = await tryToConnect(url);
    if (failure === undefined) return 'ready';
    if (failure.code === DATABASE_MISSING) return 'database-missing';
    if (!isTransient(failure)) throw refused(url, failure);
    if (performance.now() + RETRY_EVERY_MS > deadline) throw unreachable(url, timeoutMs, failure);
    await delay(RETRY_EVERY_MS);
  }
}

interface ConnectFailure {
  readonly code: string;
  readonly message: string;
  readonly cause: unknown;
}

async function tryToConnect(url: string): Promise<ConnectFailure | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  // A server that dies between connect and end() reports it here too; without a listener that ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return describe(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Happy-eyeballs connects fail with an AggregateError whose message is empty: the first cause speaks for it. */
function describe(error: unknown): ConnectFailure {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, message } = first as { code?: unknown; message?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' && message !== '' ? message : 'no reason given',
    cause: error,
  };
}

function isTransient(failure: ConnectFailure): boolean {
  if (failure.code !== '') return TRANSIENT.some((pattern) => pattern.test(failure.code));
  return /timeout|terminated|closed/i.test(failure.message);
}

function unreachable(url: string, timeoutMs: number, failure: ConnectFailure): Error {
  const { address, database } = parsePostgresUrl(url);
  return new Error(
    `PostgreSQL at ${address} did not answer for database "${database}" within ${Math.round(timeoutMs / 1000)} s ` +
      `(last reason: ${failure.message}). Is it running, and is database_url right?`,
    { cause: failure.cause },
  );
}

function refused(url: string, failure: ConnectFailure): Error {
  const { address, database } = parsePostgresUrl(url);
  return new Error(
    `PostgreSQL at ${address} refused the connection to database "${database}": ${failure.message}. ` +
      'Check user, password and permissions in database_url.',
    { cause: failure.cause },
  );
}
