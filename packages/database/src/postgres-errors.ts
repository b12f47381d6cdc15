import { errorCauses, isRecord } from './error-causes.js';

const UNIQUE_VIOLATION = { sqlState: '23505', prisma: 'P2002', adapterKind: 'UniqueConstraintViolation' };
const WRITE_CONFLICT = { prisma: 'P2034', adapterKind: 'TransactionWriteConflict' };
const RETRYABLE_SQL_STATES: ReadonlySet<string> = new Set(['40001', '40P01']);

/** True when the error, or what it wraps, says that a unique constraint refused a row. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCauses(error).some(
    (cause) =>
      cause.code === UNIQUE_VIOLATION.sqlState ||
      cause.code === UNIQUE_VIOLATION.prisma ||
      cause.originalCode === UNIQUE_VIOLATION.sqlState ||
      cause.kind === UNIQUE_VIOLATION.adapterKind,
  );
}

/** True when the transaction lost a race (serialization failure or deadlock) and may simply be run again. */
export function isSerializationFailure(error: unknown): boolean {
  return errorCauses(error).some(
    (cause) =>
      cause.code === WRITE_CONFLICT.prisma ||
      cause.kind === WRITE_CONFLICT.adapterKind ||
      RETRYABLE_SQL_STATES.has(cause.code ?? '') ||
      RETRYABLE_SQL_STATES.has(cause.originalCode ?? ''),
  );
}

/**
 * Names of the columns or of the index that refused the row, as far as the driver tells; empty when it does not.
 * Lets a service say which field is taken instead of "conflict".
 */
export function violatedConstraint(error: unknown): readonly string[] {
  return errorCauses(error).flatMap((cause) => constraintNames(cause.constraint));
}

function constraintNames(constraint: unknown): readonly string[] {
  if (typeof constraint === 'string') return [constraint];
  if (!isRecord(constraint)) return [];
  if (Array.isArray(constraint.fields)) return constraint.fields.map(String);
  return typeof constraint.index === 'string' ? [constraint.index] : [];
}
