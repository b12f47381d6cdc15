import { isDatabaseUnavailable } from './database-unavailable.js';

/** The two calls of a logger an outage needs; pino fits. */
export interface OutageLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface CallGuardOptions {
  /** How long one call may take, retries included, before its caller is told to come back later. */
  readonly deadlineMs: number;
  /** The error callers get while the database is away. The cause is for logs. */
  readonly unavailable: (cause: unknown) => Error;
  readonly logger: OutageLogger;
  /** Milliseconds of a clock that only goes forward, for tests. */
  readonly now?: () => number;
}

interface Outage {
  readonly since: number;
  lastFailure: number;
  failedCalls: number;
}

/** An outage is over when a call succeeds this long after the last failure: a struggling server makes one, not many. */
const SETTLED_MS = 2_000;

/**
 * Around every database call of a service: a deadline, one error for "the database is away", and one line in the log
 * when that begins and one when it ends, however many calls fail in between.
 */
export class CallGuard {
  private outage: Outage | null = null;
  private readonly now: () => number;

  constructor(private readonly options: CallGuardOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** @throws what `unavailable` makes of an outage or a missed deadline; any other error as it is */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await within(this.options.deadlineMs, work);
      this.noteSuccess();
      return result;
    } catch (error) {
      if (!(error instanceof DeadlineMissed) && !isDatabaseUnavailable(error)) throw error;
      this.noteFailure(error);
      throw this.options.unavailable(error);
    }
  }

  /** True when the work ended well in time. Never throws, and begins no outage: a busy pool is none. */
  async answers(work: () => Promise<unknown>, deadlineMs: number): Promise<boolean> {
    try {
      await within(deadlineMs, work);
      this.noteSuccess();
      return true;
    } catch {
      return false;
    }
  }

  private noteFailure(error: unknown): void {
    const now = this.now();
    if (this.outage === null) {
      this.outage = { since: now, lastFailure: now, failedCalls: 0 };
      this.options.logger.error({ err: error }, 'database unavailable; calls are refused until it answers');
    }
    this.outage.failedCalls += 1;
    this.outage.lastFailure = now;
  }

  private noteSuccess(): void {
    if (this.outage === null) return;
    const now = this.now();
    const { since, lastFailure, failedCalls } = this.outage;
    if (now - lastFailure < SETTLED_MS) return;
    this.outage = null;
    const fields = { outage_ms: Math.round(now - since), failed_calls: failedCalls };
    this.options.logger.info(fields, 'database available again');
  }
}

class DeadlineMissed extends Error {}

async function within<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const missed = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineMissed(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([work(), missed]);
  } finally {
    clearTimeout(timer);
  }
}
