import type { Executor } from './database.js';

/** Decisions over many rows that two coordinators must not take at once. Numbers are part of the deployed contract. */
export const ADVISORY_LOCKS = {
  registration: 0x70656e31,
  placement: 0x70656e32,
  lineage: 0x70656e33,
  exposure: 0x70656e34,
} as const;

/** Holds the lock until the transaction ends. */
export async function lockFor(db: Executor, lock: number): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${lock}::bigint)`;
}
