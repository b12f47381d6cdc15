import { tell } from '../terminal.js';
import type { QualityCheck } from './check-list.js';
import type { Outcome } from './outcome.js';
import { runTool } from './run-tool.js';

/** Two at a time: more only take memory from each other on a small machine. */
const CONCURRENCY = 2;

/** Runs all checks whatever becomes of the others, and shows the output of those that fail. */
export async function runQualityChecks(checks: readonly QualityCheck[]): Promise<Outcome[]> {
  const waiting = [...checks];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) outcomes.push(await runCheck(check));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return outcomes;
}

async function runCheck({ title, script }: QualityCheck): Promise<Outcome> {
  tell(`Checking ${title} ...`);
  const { code, output, seconds } = await runTool('pnpm', ['run', '--silent', script], { live: false });
  if (code !== 0) tell(`${title} failed (run it alone with: pnpm run ${script}):\n${output.trimEnd()}`);
  return { title, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, seconds };
}
