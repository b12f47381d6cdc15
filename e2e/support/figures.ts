/** Functional tests allow this multiple of a promised time; `PENSTOCK_E2E_SLACK=1` checks the promise itself. */
export const SLACK = Number(process.env['PENSTOCK_E2E_SLACK'] ?? '10');

/** How often a change is repeated: the promise is stated for 100. */
export const CHANGES = Number(process.env['PENSTOCK_E2E_CHANGES'] ?? '100');

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Puts a measured figure where a reader of the test output sees it. */
export function note(text: string): void {
  process.stderr.write(`      ${text}\n`);
}
