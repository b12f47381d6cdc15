import type { Logger } from '@penstock/observability';

import type { Failure } from './failure.js';

/** How often one and the same expected failure is logged while it lasts. */
const REPEAT_MS = 60_000;

interface Seen {
  loggedAt: number;
  unlogged: number;
}

/**
 * Failures of the service, in the log. A bug is logged each time. An expected failure, say a dependency that is away,
 * would be logged with every request for as long as it lasts: the first of its code is, then one a minute that says how
 * many there were. The access log has each of them in any case.
 */
export class FailureLog {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly logger: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  record(failure: Failure, code: string, fields: Readonly<Record<string, unknown>>): void {
    const repeated = failure.kind === 'internal' ? 0 : this.countUnlogged(code);
    if (repeated === null) return;
    this.logger.error(
      { err: causeOf(failure), 'error.code': code, ...(repeated > 0 && { repeated }), ...fields },
      'request failed',
    );
  }

  /** @returns failures of this code since its last line, null when this one is to be counted only */
  private countUnlogged(code: string): number | null {
    const now = this.now();
    const seen = this.seen.get(code);
    if (seen !== undefined && now - seen.loggedAt < REPEAT_MS) {
      seen.unlogged += 1;
      return null;
    }
    this.seen.set(code, { loggedAt: now, unlogged: 0 });
    return seen?.unlogged ?? 0;
  }
}

function causeOf(failure: Failure): unknown {
  if (failure.kind === 'internal') return failure.cause;
  return 'error' in failure ? failure.error : undefined;
}
