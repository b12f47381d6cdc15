import type { Need } from '../checking/check.js';
import { applyDeviations } from '../checking/deviations.js';
import { type CheckResult, type ConformanceReport, makeReport } from '../checking/report.js';
import { runChecks } from '../checking/run-checks.js';
import { selectChecks } from '../checking/select-checks.js';
import { WorkerBench } from './worker-bench.js';
import { workerChecks } from './worker-checks.js';
import { WorkerSession } from './worker-session.js';
import type { WorkerSuiteOptions } from './worker-suite-options.js';

/** A PORT worker has few ports, so its checks wait for each other. */
const WIDTH = { wildcard: 6, router: 4, port: 1 } as const;

/**
 * Checks a worker from outside, as its coordinator, its replicas and its clients.
 * @throws Error when the address or Redis cannot be had, or no worker registers in time.
 */
export async function runWorkerSuite(options: WorkerSuiteOptions): Promise<ConformanceReport> {
  const session = await WorkerSession.start(options);
  try {
    return await checkWorker(session, options);
  } finally {
    await session.close();
  }
}

/** Runs the checks that apply on a worker that has registered. */
export async function checkWorker(
  session: WorkerSession,
  { only, deviations, onResult, stopWorker }: WorkerSuiteOptions,
): Promise<ConformanceReport> {
  const startedAt = new Date();
  const judge = (results: readonly CheckResult[]): readonly CheckResult[] =>
    deviations ? applyDeviations(results, deviations) : results;
  const results = await runChecks({
    checks: selectChecks(workerChecks(session.mode), only),
    phases: [
      { name: 'serving', width: WIDTH[session.mode] },
      { name: 'last', width: 1 },
    ],
    openBench: (check, signal) => Promise.resolve(new WorkerBench(session, check.id, signal)),
    missing: (need: Need) =>
      need === 'departure' && !stopWorker ? 'needs the worker to be stopped: --departure' : undefined,
    onResult: (result) => judge([result]).forEach((judged) => onResult?.(judged)),
  });
  const target = `${session.mode} worker ${session.authority}`;
  return makeReport('worker', target, startedAt, judge(results));
}
