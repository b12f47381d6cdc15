export const SUITES = ['unit', 'int', 'e2e', 'interop'] as const;
export type Suite = (typeof SUITES)[number];

/** One thing `test` runs that is not a test suite, as a script of the root package. */
export interface QualityCheck {
  title: string;
  script: string;
}

export const QUALITY_CHECKS: readonly QualityCheck[] = [
  { title: 'types', script: 'typecheck' },
  { title: 'lint', script: 'lint' },
  { title: 'format', script: 'format:check' },
  { title: 'import rules', script: 'imports' },
  { title: 'dead code', script: 'deadcode' },
];

/** What a scope means. `all` is everything CI wants; a single suite is for quick rounds and skips the checks. */
export function selection(scope: Suite | 'all'): {
  checks: readonly QualityCheck[];
  suites: readonly Suite[];
} {
  return scope === 'all' ? { checks: QUALITY_CHECKS, suites: SUITES } : { checks: [], suites: [scope] };
}
