import { CallGuard, withRetries, type OutageLogger } from '@penstock/database';

import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { databaseUnavailable } from './database-unavailable.js';

/** What a repository runs its statements on: the client itself or a transaction of it. */
export type Executor = Prisma.TransactionClient;

/** Bounds one database call as a caller sees it, retries included. Milliseconds. */
const DEADLINE_MS = 8_000;
const PROBE_DEADLINE_MS = 1_000;
/** Waiting for a free connection is normal under a burst of changes; the deadline bounds it. */
const TRANSACTION = { maxWait: 7_500, timeout: 6_000 } as const;
const ATTEMPTS = 10;

/**
 * The only way to the database. Every call has a deadline, lost races are run again, and an outage becomes the 503 that
 * callers know how to retry. Work must be safe to repeat.
 */
export class Database {
  private readonly guard: CallGuard;

  constructor(
    private readonly client: PrismaClient,
    logger: OutageLogger,
  ) {
    this.guard = new CallGuard({ deadlineMs: DEADLINE_MS, unavailable: databaseUnavailable, logger });
  }

  /** Statements that need no common snapshot. */
  query<T>(work: (db: Executor) => Promise<T>): Promise<T> {
    return this.guard.run(() => work(this.client));
  }

  /** One READ COMMITTED transaction; writers order themselves by locking the rows they decide on. */
  transact<T>(work: (db: Executor) => Promise<T>): Promise<T> {
    return this.guard.run(() =>
      withRetries(() => this.client.$transaction(work, TRANSACTION), { attempts: ATTEMPTS }),
    );
  }

  /** One REPEATABLE READ transaction: everything read in it belongs to one moment. */
  snapshot<T>(work: (db: Executor) => Promise<T>): Promise<T> {
    const options = { ...TRANSACTION, isolationLevel: 'RepeatableRead' } as const;
    return this.guard.run(() =>
      withRetries(() => this.client.$transaction(work, options), { attempts: ATTEMPTS }),
    );
  }

  /** True when a trivial statement came back within the second a probe has. Never throws. */
  answers(): Promise<boolean> {
    return this.guard.answers(() => this.client.$queryRaw`SELECT 1`, PROBE_DEADLINE_MS);
  }

  close(): Promise<void> {
    return this.client.$disconnect();
  }
}
