/**
 * `unavailable`: the same call may succeed later. `refused`: it never will, whatever the time.
 * The message holds no body of a request, because those carry hashes.
 */
export class CoordinatorError extends Error {
  override readonly name = 'CoordinatorError';
  readonly kind: 'unavailable' | 'refused';
  readonly status: number | null;
  /** The model name that another publication has on the coordinator, when that is why it refused. */
  readonly takenName: string | null;
  /** Last part of the type of the coordinator's problem, such as `object-not-found`. */
  readonly problem: string | null;

  constructor(
    kind: 'unavailable' | 'refused',
    message: string,
    options: {
      status?: number;
      takenName?: string | null;
      problem?: string | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status ?? null;
    this.takenName = options.takenName ?? null;
    this.problem = options.problem ?? null;
  }
}

/**
 * Statuses that say "not now" although the request is fine: a router that never registered yet (404 on an
 * authority), a wrong secret that an operator will correct, load, and everything of the 5xx class.
 */
const RETRYABLE: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 425, 429]);

export function kindOfStatus(status: number): 'unavailable' | 'refused' {
  return status >= 500 || RETRYABLE.has(status) ? 'unavailable' : 'refused';
}
