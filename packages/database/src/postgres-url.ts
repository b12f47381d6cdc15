/** A PostgreSQL URL split into the parts that starting up needs. */
export interface PostgresUrl {
  /** Database the service uses. */
  readonly database: string;
  /** `host:port`, safe to print: never the user or the password. */
  readonly address: string;
  /** Same server, database `postgres`: where databases are created from. */
  readonly maintenanceUrl: string;
}

/**
 * Reads a `postgresql://` URL.
 * @throws Error naming what is missing, without repeating the URL (it may hold a password)
 */
export function parsePostgresUrl(url: string): PostgresUrl {
  const parsed = parseOrThrow(url);
  const database = decodeURIComponent(parsed.pathname.replace(/^\//, ''));
  if (database === '') {
    throw new Error(
      'The database URL names no database: end it with /<name>, for example /penstock_manager.',
    );
  }
  const maintenance = new URL(parsed);
  maintenance.pathname = '/postgres';
  return {
    database,
    address: `${parsed.hostname || 'localhost'}:${parsed.port || '5432'}`,
    maintenanceUrl: maintenance.toString(),
  };
}

function parseOrThrow(url: string): URL {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new Error('The database URL must start with postgresql://.');
  }
  if (!URL.canParse(url)) {
    throw new Error('The database URL is malformed: expected postgresql://user:password@host:port/name.');
  }
  return new URL(url);
}
