/** What one check or one suite came to. */
export interface Outcome {
  title: string;
  passed: number;
  failed: number;
  skipped: number;
  /** Why nothing of it ran, in one sentence: what it needs cannot be had on this machine. */
  obstacle?: string;
  seconds: number;
}

/** The lines that end a run; the last is read by machines. Pure. */
export function summaryLines(outcomes: Outcome[]): string[] {
  const rows = outcomes.map(({ title, passed, failed, skipped, seconds, obstacle }) => {
    if (obstacle !== undefined) return `${'skipped'.padEnd(8)}${title.padEnd(18)}${obstacle}`;
    const mark = failed > 0 ? 'FAILED' : 'ok';
    const counts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
    return `${mark.padEnd(8)}${title.padEnd(18)}${counts.join(', ')} (${seconds.toFixed(1)} s)`;
  });
  return [...rows, `${sum(outcomes, 'passed')} passed, ${sum(outcomes, 'failed')} failed`];
}

/** True when something failed, or when nothing ran and nobody says why. */
export function hasFailed(outcomes: Outcome[]): boolean {
  return (
    sum(outcomes, 'failed') > 0 ||
    (sum(outcomes, 'passed') === 0 && !outcomes.some(({ obstacle }) => obstacle))
  );
}

function sum(outcomes: Outcome[], key: 'passed' | 'failed'): number {
  return outcomes.reduce((total, outcome) => total + outcome[key], 0);
}
