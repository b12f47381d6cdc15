import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../repository.js';
import { tell } from '../terminal.js';
import type { Suite } from './check-list.js';
import { interopObstacle } from './interop-obstacle.js';
import type { Outcome } from './outcome.js';
import { runTool } from './run-tool.js';

const NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
});

/** Runs one Jest project. The shared servers of the integration suite are started by Jest itself, on free ports. */
export async function runSuite(suite: Suite, patterns: string[]): Promise<Outcome> {
  const obstacle = suite === 'interop' ? await interopObstacle() : null;
  if (obstacle !== null) return skipped(suite, obstacle);
  tell(`Running the ${suite} tests ...`);
  const scratch = mkdtempSync(join(tmpdir(), 'penstock-test-'));
  try {
    const reportFile = join(scratch, 'report.json');
    const jest = join(REPOSITORY_ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = [jest, ...jestArguments(suite, reportFile), ...patterns];
    // A test that leaves something open would otherwise keep the run alive for ever.
    const isDone = (): boolean => existsSync(reportFile);
    const options = { live: true, env: { NODE_OPTIONS }, isDone };
    const { code, seconds } = await runTool(process.execPath, args, options);
    return suiteOutcome(suite, readReport(reportFile), code, seconds);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function skipped(suite: Suite, obstacle: string): Outcome {
  tell(`Not running the ${suite} tests: ${obstacle}`);
  return { title: `${suite} tests`, passed: 0, failed: 0, skipped: 0, seconds: 0, obstacle };
}

function jestArguments(suite: Suite, reportFile: string): string[] {
  // End-to-end tests start whole stacks and measure times: one at a time.
  const workers = suite === 'e2e' ? 1 : Math.max(2, availableParallelism() - 1);
  return ['--selectProjects', suite, `--maxWorkers=${workers}`, '--json', `--outputFile=${reportFile}`, '--'];
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Pure. A run without a readable report, and one that failed without a failed test, count as one failure. */
export function suiteOutcome(suite: Suite, report: unknown, code: number, seconds: number): Outcome {
  const parsed = reportSchema.safeParse(report);
  const title = `${suite} tests`;
  if (!parsed.success) return { title, passed: 0, failed: 1, skipped: 0, seconds };
  const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = parsed.data;
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return {
    title,
    passed: numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: numPendingTests,
    seconds,
  };
}
