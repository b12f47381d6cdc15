/** Resolves when the dependency can be used; throws or runs into its deadline when not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<unknown>;

export interface CheckReport {
  readonly name: string;
  readonly ok: boolean;
  /** Why not; never more than a sentence, since anyone may read it. */
  readonly reason?: string;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly draining: boolean;
  readonly checks: readonly CheckReport[];
}

const CHECK_TIMEOUT_MS = 1_000;

interface Registered {
  readonly name: string;
  readonly check: ReadinessCheck;
  readonly timeoutMs: number;
}

/**
 * What a process says about itself. Liveness looks at the process only, so that a dead database never restarts it;
 * readiness asks what it needs to serve, each check with a deadline of its own.
 */
export class HealthRegistry {
  private readonly checks: Registered[] = [];
  private isDraining = false;

  /** @param timeoutMs - a check running longer counts as failed. Default 1 000 ms. */
  addReadiness(name: string, check: ReadinessCheck, timeoutMs: number = CHECK_TIMEOUT_MS): void {
    this.checks.push({ name, check, timeoutMs });
  }

  /** From now on the process is not ready, whatever its checks say. */
  startDraining(): void {
    this.isDraining = true;
  }

  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  async ready(): Promise<ReadinessReport> {
    const checks = await Promise.all(this.checks.map(runCheck));
    return { ready: !this.isDraining && checks.every(({ ok }) => ok), draining: this.isDraining, checks };
  }
}

async function runCheck({ name, check, timeoutMs }: Registered): Promise<CheckReport> {
  const cancel = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
      cancel.abort();
    }, timeoutMs);
  });
  try {
    await Promise.race([deadline, startCheck(check, cancel.signal)]);
    return { name, ok: true };
  } catch (error) {
    return { name, ok: false, reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Async, so that a check that throws before it waits rejects like any other. */
async function startCheck(check: ReadinessCheck, signal: AbortSignal): Promise<void> {
  await check(signal);
}

const REASON_LENGTH_MAX = 200;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'failed';
  return (text.split('\n', 1)[0] || 'failed').slice(0, REASON_LENGTH_MAX);
}
