/**
 * What the router costs, as ratios taken in one run: against a naive forwarder (the floor), nginx (the peer, where it
 * is installed) and the replica itself. Run it with `./penstock bench proxy`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

import { generateLoad, LOAD_GENERATOR } from './load/generate-load.ts';
import { CAN_PIN } from './measure/machine.ts';
import { runRounds, type Series } from './measure/run-rounds.ts';
import { readOptions, USAGE, UsageError, type BenchOptions } from './options.ts';
import { comparisonLines, goalLines, seriesTable } from './print-report.ts';
import { compare, errorCount, goals, summarize, type Comparison, type Goal } from './report.ts';
import { benchKeys, benchRequests, KEY_COUNT, PUBLICATION_COUNT } from './scenario.ts';
import { startDirect } from './targets/direct.ts';
import { startNaive } from './targets/naive.ts';
import { startNginx } from './targets/nginx.ts';
import { startPenstock } from './targets/penstock.ts';
import type { Target } from './targets/target.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const progress = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(options: BenchOptions): Promise<number> {
  const workDir = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
  const targets: Target[] = [];
  try {
    await startTargets(targets, workDir);
    const all = await measureAll(targets, options, workDir);
    return report(all, options);
  } finally {
    for (const target of [...targets].reverse()) await target.stop();
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** Fills `targets` one by one, so that those already started are stopped when a later one fails. */
async function startTargets(targets: Target[], workDir: string): Promise<void> {
  const direct = await startDirect(workDir);
  targets.push(direct);
  const bench = { mockPort: direct.port, workDir };
  const nginx = await startNginx(bench);
  if (nginx === null)
    say('nginx is not installed: measured without it (Debian: apt-get install nginx-light).');
  else targets.push(nginx);
  targets.push(await startNaive(bench));
  targets.push(await startPenstock(bench));
  if (!CAN_PIN)
    say('taskset or a second core is missing: proxy and load share cores, so the ratios are blurred.');
}

async function measureAll(
  targets: readonly Target[],
  options: BenchOptions,
  workDir: string,
): Promise<Series[]> {
  const all: Series[] = [];
  const keys = benchKeys();
  for (const bodyBytes of options.bodyBytes) {
    const requests = benchRequests(keys, bodyBytes);
    progress(`warming up with bodies of ${bodyBytes} bytes`);
    for (const { port } of targets)
      await generateLoad({ port, connections: 16, seconds: 2, requests, workDir });
    for (const connections of options.connections) {
      const load = { connections, seconds: options.seconds, requests, workDir };
      all.push(await runRounds({ targets, rounds: options.rounds, bodyBytes, load, progress }));
    }
  }
  return all;
}

function report(all: readonly Series[], options: BenchOptions): number {
  const comparisons = all.map(compare);
  const reached = goals(comparisons);
  const errors = errorCount(all);
  say(
    `load by ${LOAD_GENERATOR}; ${KEY_COUNT} keys, ${PUBLICATION_COUNT} publications; ratios are medians of`,
  );
  say(`${options.rounds} interleaved rounds of ${options.seconds} s, with their range in brackets`);
  all.forEach((series, index) => {
    const comparison = comparisons[index];
    say(seriesTable(series));
    if (comparison !== undefined) say(comparisonLines(comparison));
  });
  say(`\ngoals\n${goalLines(reached)}`);
  if (errors > 0) say(`${errors} requests failed: the figures are not to be trusted.`);
  if (options.jsonFile !== null) writeJson(options.jsonFile, { all, comparisons, reached, errors, options });
  return errors > 0 || (options.check && reached.some(({ met }) => met === false)) ? 1 : 0;
}

interface Findings {
  readonly all: readonly Series[];
  readonly comparisons: readonly Comparison[];
  readonly reached: readonly Goal[];
  readonly errors: number;
  readonly options: BenchOptions;
}

function writeJson(file: string, { all, comparisons, reached, errors, options }: Findings): void {
  const machine = { cores: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version };
  const document = {
    benchmark: 'proxy',
    measured_at: new Date().toISOString(),
    machine,
    load_generator: LOAD_GENERATOR,
    pinned_to_cores: CAN_PIN,
    keys: KEY_COUNT,
    publications: PUBLICATION_COUNT,
    seconds: options.seconds,
    rounds: options.rounds,
    errors,
    goals: reached,
    ratios: comparisons,
    medians: all.map((series) => ({
      connections: series.connections,
      body_bytes: series.bodyBytes,
      targets: summarize(series),
    })),
    series: all,
  };
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
  say(`report written to ${file}`);
}

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`bench proxy: ${message}\n${error instanceof UsageError ? `${USAGE}\n` : ''}`);
  process.exitCode = error instanceof UsageError ? 64 : 1;
}
