/** What an error, or one below it, says about the database. */
export interface ErrorFacts {
  readonly code: string | undefined;
  readonly originalCode: string | undefined;
  readonly kind: string | undefined;
  readonly message: string;
  readonly constraint: unknown;
}

const DEPTH_MAX = 8;

/** The error itself and everything below it: Prisma keeps the driver's words in `cause` or `meta.driverAdapterError`. */
export function errorCauses(error: unknown): readonly ErrorFacts[] {
  const found: ErrorFacts[] = [];
  let current = error;
  while (isRecord(current) && found.length < DEPTH_MAX) {
    found.push({
      code: text(current.code),
      originalCode: text(current.originalCode),
      kind: text(current.kind),
      message: text(current.message) ?? '',
      constraint: current.constraint,
    });
    current = below(current);
  }
  return found;
}

/** A failed connect to several addresses is an AggregateError: its first error stands for all. */
function below(error: Record<string, unknown>): unknown {
  const meta: unknown = error.meta;
  const errors: unknown = error.errors;
  if (isRecord(meta) && meta.driverAdapterError !== undefined) return meta.driverAdapterError;
  return error.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
