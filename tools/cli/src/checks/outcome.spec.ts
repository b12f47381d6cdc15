import { describe, expect, it } from '@jest/globals';
import { selection } from './check-list.js';
import { hasFailed, type Outcome, summaryLines } from './outcome.js';
import { suiteOutcome } from './run-suite.js';

function outcome(passed: number, failed: number): Outcome {
  return { title: 'unit tests', passed, failed, skipped: 0, seconds: 1 };
}

const report = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numRuntimeErrorTestSuites: 0 };

describe('summaryLines', () => {
  it('ends with the sums', () => {
    expect(summaryLines([outcome(3, 0), outcome(1, 2)]).at(-1)).toBe('4 passed, 2 failed');
  });
});

describe('hasFailed', () => {
  it('takes a run in which nothing ran for a failure', () => {
    expect(hasFailed([outcome(0, 0)])).toBe(true);
    expect(hasFailed([outcome(1, 1)])).toBe(true);
    expect(hasFailed([outcome(1, 0)])).toBe(false);
  });
});

describe('a suite whose needs cannot be had', () => {
  const unavailable = { ...outcome(0, 0), title: 'interop tests', obstacle: 'no Python 3.13 found.' };

  it('is reported with the reason and fails nothing, alone or among others', () => {
    const lines = summaryLines([outcome(3, 0), unavailable]);
    expect(lines[1]).toMatch(/^skipped +interop tests +no Python 3\.13 found\.$/);
    expect(lines.at(-1)).toBe('3 passed, 0 failed');
    expect(hasFailed([unavailable])).toBe(false);
    expect(hasFailed([outcome(1, 1), unavailable])).toBe(true);
  });
});

describe('suiteOutcome', () => {
  it('counts test files that could not be loaded as failed', () => {
    const broken = { ...report, numRuntimeErrorTestSuites: 2 };
    expect(suiteOutcome('unit', broken, 1, 1)).toMatchObject({ passed: 5, failed: 2, skipped: 1 });
  });

  it('fails when Jest did, whatever its report says', () => {
    expect(suiteOutcome('int', report, 1, 1).failed).toBe(1);
    expect(suiteOutcome('int', null, 0, 1)).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe('selection', () => {
  it('runs the quality checks with everything, not with one suite', () => {
    expect(selection('all').checks.map(({ title }) => title)).toContain('lint');
    expect(selection('all').suites).toEqual(['unit', 'int', 'e2e', 'interop']);
    expect(selection('int')).toEqual({ checks: [], suites: ['int'] });
  });
});
