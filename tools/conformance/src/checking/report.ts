/** What became of one check. `deviates`: failed, as the list of deviations says it does. */
export type CheckStatus = 'passed' | 'failed' | 'skipped' | 'deviates';

export interface CheckResult {
  readonly id: string;
  /** Section of the AppProxy protocol. */
  readonly section: string;
  readonly title: string;
  readonly status: CheckStatus;
  /** Why it failed, deviates or was skipped; empty when it passed. */
  readonly detail: string;
  readonly ms: number;
}

/** The machine-readable outcome of one suite against one target. */
export interface ConformanceReport {
  readonly suite: 'coordinator' | 'worker';
  readonly target: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly checks: readonly CheckResult[];
  readonly summary: Readonly<Record<CheckStatus, number>>;
}

/** The report over results, in the order of the suite. */
export function makeReport(
  suite: ConformanceReport['suite'],
  target: string,
  startedAt: Date,
  checks: readonly CheckResult[],
): ConformanceReport {
  const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  return {
    suite,
    target,
    started_at: startedAt.toISOString(),
    finished_at: new Date().toISOString(),
    checks,
    summary: {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      deviates: count('deviates'),
    },
  };
}

/** True when nothing failed and at least one check ran. */
export function conforms({ summary }: ConformanceReport): boolean {
  return summary.failed === 0 && summary.passed + summary.deviates > 0;
}

/** One line per check, for people. */
export function resultLine({ status, section, id, title, detail, ms }: CheckResult): string {
  const reason = detail === '' ? '' : `\n            ${detail}`;
  return `${status.padEnd(8)} ${section.padEnd(4)} ${id}: ${title} (${ms} ms)${reason}`;
}

/** The last line. */
export function summaryLine({ target, summary }: ConformanceReport): string {
  const { passed, failed, deviates, skipped } = summary;
  return `${target}: ${passed} passed, ${failed} failed, ${deviates} deviate as listed, ${skipped} skipped`;
}
