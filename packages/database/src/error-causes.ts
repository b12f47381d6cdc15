/** What an error, or one below it, says about the database. */
export interface ErrorFacts {
  readonly code: string | undefined;
  readonly originalCode: string | undefined;
  readonly kind: string | undefined;
  /** What the driver said, in its own words and in those of the adapter. */
  readonly messages: readonly string[];
  readonly constraint: unknown;
}

/** Errors looked at in all: causes may go round in circles. */
const ERRORS_MAX = 16;

/** The error itself and everything below it: Prisma keeps the driver's words in `cause` or `meta.driverAdapterError`. */
export function errorCauses(error: unknown): readonly ErrorFacts[] {
  const found: ErrorFacts[] = [];
  const queue = [error];
  while (queue.length > 0 && found.length < ERRORS_MAX) {
    const current = queue.shift();
    if (!isRecord(current)) continue;
    found.push({
      code: text(current.code),
      originalCode: text(current.originalCode),
      kind: text(current.kind),
      messages: [current.message, current.originalMessage].flatMap((value) => text(value) ?? []),
      constraint: current.constraint,
    });
    queue.push(...below(current));
  }
  return found;
}

/** A failed connect to several addresses is an AggregateError with an error for each of them. */
function below({ meta, cause, errors }: Record<string, unknown>): readonly unknown[] {
  const driver = isRecord(meta) ? meta.driverAdapterError : undefined;
  return [driver, cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
