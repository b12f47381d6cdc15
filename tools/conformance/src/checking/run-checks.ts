import { type Check, DEFAULT_DEADLINE_MS, type Need } from './check.js';
import { CheckFailed, CheckSkipped } from './expect.js';
import type { CheckResult } from './report.js';

/** What one check works with; made for it and closed after it. */
export interface Disposable {
  close(): Promise<void>;
}

export interface RunOptions<Bench extends Disposable> {
  readonly checks: readonly Check<Bench>[];
  /** Phases in the order they run, each with how many of its checks run at a time. */
  readonly phases: readonly { readonly name: string; readonly width: number }[];
  readonly openBench: (check: Check<Bench>, signal: AbortSignal) => Promise<Bench>;
  /** Why a need cannot be met, or `undefined`. */
  readonly missing: (need: Need) => string | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
}

/** How long a check may take to clean up after itself. */
const CLOSE_MS = 60_000;

/** Runs the checks phase by phase. A check never keeps another from running. */
export async function runChecks<Bench extends Disposable>(
  options: RunOptions<Bench>,
): Promise<readonly CheckResult[]> {
  const results = new Map<string, CheckResult>();
  for (const { name, width } of options.phases) {
    const waiting = options.checks.filter(({ phase }) => (phase ?? options.phases[0]?.name) === name);
    const lane = async (): Promise<void> => {
      for (let check = waiting.shift(); check; check = waiting.shift()) {
        const result = await runCheck(check, options);
        results.set(check.id, result);
        options.onResult?.(result);
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
  }
  return options.checks.flatMap(({ id }) => results.get(id) ?? []);
}

async function runCheck<Bench extends Disposable>(
  check: Check<Bench>,
  { openBench, missing }: RunOptions<Bench>,
): Promise<CheckResult> {
  const { id, section, title } = check;
  const startedAt = performance.now();
  const verdict = await verdictOf(check, openBench, missing);
  return { id, section, title, ...verdict, ms: Math.round(performance.now() - startedAt) };
}

type Verdict = Pick<CheckResult, 'status' | 'detail'>;

async function verdictOf<Bench extends Disposable>(
  check: Check<Bench>,
  openBench: RunOptions<Bench>['openBench'],
  missing: RunOptions<Bench>['missing'],
): Promise<Verdict> {
  const reason = check.needs?.map(missing).find((found) => found !== undefined);
  if (reason !== undefined) return { status: 'skipped', detail: reason };
  try {
    await withDeadline(check, openBench);
    return { status: 'passed', detail: '' };
  } catch (error) {
    return verdictOfError(error);
  }
}

function verdictOfError(error: unknown): Verdict {
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof CheckSkipped) return { status: 'skipped', detail };
  return { status: 'failed', detail: error instanceof CheckFailed ? detail : `unexpected: ${detail}` };
}

async function withDeadline<Bench extends Disposable>(
  check: Check<Bench>,
  openBench: RunOptions<Bench>['openBench'],
): Promise<void> {
  const deadlineMs = check.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const abort = new AbortController();
  const late = new CheckFailed(`not done after ${deadlineMs} ms`);
  const { promise: expiry, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(late);
    abort.abort(late);
  }, deadlineMs);
  // Also when nobody looks at it any more, or not yet.
  expiry.catch(() => undefined);
  const opening = openBench(check, abort.signal);
  try {
    const bench = await Promise.race([opening, expiry]);
    await Promise.race([check.run(bench), expiry]);
  } finally {
    clearTimeout(timer);
    await closeInTime(opening);
  }
}

/** What a peer keeps open must not keep the run from going on. One that could not be opened has nothing to close. */
async function closeInTime(opening: Promise<Disposable>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), CLOSE_MS);
  const closed = opening.then(
    (bench) => bench.close(),
    () => undefined,
  );
  try {
    await Promise.race([closed, late]);
  } finally {
    clearTimeout(timer);
    closed.catch(() => undefined);
  }
}
