/**
 * The system's code of an error (`EADDRINUSE`, `ECONNREFUSED`, …). Looks at the shape, not the class: errors may come
 * from another realm, as in test runners and worker contexts.
 */
export function systemErrorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** What went wrong, in the words of the error. */
export function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return 'unknown error';
  return typeof error.message === 'string' && error.message !== '' ? error.message : 'unknown error';
}
