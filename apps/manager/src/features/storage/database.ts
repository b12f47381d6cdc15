import { CallGuard, type OutageLogger, withRetries } from '@penstock/database';
import { AppError } from '@penstock/protocol';

import type { Prisma, PrismaClient } from '../../generated/prisma/client.js';

/** What a query may use: a transaction, or the client itself for single reads. */
export type Queries = Prisma.TransactionClient;

export interface DatabaseLimits {
  /** How long one query or transaction may take before the caller is told to come back later. */
  readonly deadlineMs: number;
}

/**
 * The only way to the tables. Every call has a deadline and turns a database that is away into
 * `database.unavailable` (503), so that no request hangs and no outage looks like a bug.
 */
export class Database {
  readonly #client: PrismaClient;
  readonly #limits: DatabaseLimits;
  readonly #guard: CallGuard;

  constructor(client: PrismaClient, limits: DatabaseLimits, logger: OutageLogger) {
    this.#client = client;
    this.#limits = limits;
    this.#guard = new CallGuard({ ...limits, unavailable, logger });
  }

  /** Runs single statements outside a transaction. */
  async read<T>(query: (db: Queries) => Promise<T>): Promise<T> {
    return this.#guard.run(() => query(this.#client));
  }

  /** Runs `work` in one transaction and repeats it when it lost a race; `work` must only touch the database. */
  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const { deadlineMs } = this.#limits;
    return this.#guard.run(() =>
      withRetries(() => this.#client.$transaction(work, { maxWait: deadlineMs, timeout: deadlineMs })),
    );
  }

  /** Several reads that see one and the same moment. */
  async snapshot<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const { deadlineMs } = this.#limits;
    const options = { maxWait: deadlineMs, timeout: deadlineMs, isolationLevel: 'RepeatableRead' } as const;
    return this.#guard.run(() => this.#client.$transaction(work, options));
  }

  async close(): Promise<void> {
    await this.#client.$disconnect();
  }
}

function unavailable(cause: unknown): AppError {
  return new AppError('database.unavailable', 'The database cannot be reached. Try again shortly.', {
    cause,
    retryAfterSeconds: 2,
  });
}
