import { PrismaPg } from '@prisma/adapter-pg';

export interface PrismaAdapterOptions {
  /** Connections this process may hold. Default 10: PostgreSQL's own default of 100 then serves several processes. */
  readonly poolSize?: number;
  /** A statement running longer is cancelled by the server. Default 10 000 ms; 0 turns the limit off. */
  readonly statementTimeoutMs?: number;
  /** How long to wait for a connection, from the pool or the network. Default 5 000 ms. */
  readonly connectTimeoutMs?: number;
  /** Told when an idle connection breaks. The pool replaces it by itself. */
  readonly onPoolError?: (error: Error) => void;
}

/** The driver adapter a Prisma client is made with; it connects lazily and reconnects by itself. */
export function createPrismaAdapter(url: string, options: PrismaAdapterOptions = {}): PrismaPg {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  return new PrismaPg(
    {
      connectionString: url,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'penstock',
      // The adapter reads every time as UTC, whatever the server's own zone is.
      options: '-c timezone=UTC',
      ...(statementTimeoutMs > 0 && {
        statement_timeout: statementTimeoutMs,
        // The server cannot cancel what it never heard: the client's own limit covers a dead network.
        query_timeout: statementTimeoutMs + 2_000,
      }),
    },
    options.onPoolError ? { onPoolError: options.onPoolError } : {},
  );
}
