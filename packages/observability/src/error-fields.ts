const CAUSES_MAX = 5;

/** An error as it appears in a log: what a reader needs, and none of the request or response objects hung on it. */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, details, cause } = error as Error & { code?: unknown; details?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(isFilled(details) && { details }),
    stack: error.stack,
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: errorFields(cause, depth + 1) }),
  };
}

function isFilled(details: unknown): boolean {
  return typeof details === 'object' && details !== null && Object.keys(details).length > 0;
}
