/** PostgreSQL for the services: the Prisma driver adapter, and migrations that need no downloaded engine. */
export { CallGuard, type CallGuardOptions, type OutageLogger } from './call-guard.js';
export { createPrismaAdapter, type PrismaAdapterOptions } from './create-prisma-adapter.js';
export { isDatabaseUnavailable } from './database-unavailable.js';
export { diffMigration, type DiffMigrationOptions } from './diff-migration.js';
export { ensureDatabase, type EnsureDatabaseOptions } from './ensure-database.js';
export { migrate, type MigrateOptions, type MigrationLogger } from './migrate.js';
export { isSerializationFailure, isUniqueViolation, violatedConstraint } from './postgres-errors.js';
export { withRetries, type RetryOptions } from './with-retries.js';
