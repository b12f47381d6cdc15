import { Agent } from 'node:http';
import { Bus } from '../checking/bus.js';
import type { Check, Need } from '../checking/check.js';
import { applyDeviations, type Deviations } from '../checking/deviations.js';
import { reach } from '../checking/reach.js';
import { type CheckResult, type ConformanceReport, makeReport } from '../checking/report.js';
import { runChecks } from '../checking/run-checks.js';
import { selectChecks } from '../checking/select-checks.js';
import { COORDINATOR_CHECKS } from './coordinator-checks.js';
import { CoordinatorBench } from './coordinator-bench.js';

/** Workers of kinds that exclude each other are never attached at one time, hence three phases. */
const PHASES = [
  { name: 'pinned', width: 8 },
  { name: 'alone', width: 1 },
  { name: 'router', width: 4 },
] as const;

export interface CoordinatorSuiteOptions {
  /** Base URL of the coordinator under test. */
  readonly url: string;
  readonly apiSecret: string;
  /** Without it the claims of tokens are not checked. */
  readonly jwtSecret?: string | undefined;
  /** The Redis of the coordinator's event bus. Without it nothing that needs an acknowledging worker is checked. */
  readonly redisUrl?: string | undefined;
  /** Also the checks that wait for time-outs of the coordinator. */
  readonly slow?: boolean | undefined;
  /** `appproxy` leaves out what only Penstock's coordinator has. Default: `all`. */
  readonly scope?: 'appproxy' | 'all' | undefined;
  /** Pattern of check ids or sections. */
  readonly only?: string | undefined;
  readonly deviations?: Deviations | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
}

/**
 * Checks a coordinator from outside, as its manager and as its workers.
 * @throws Error when the coordinator or Redis cannot be reached.
 */
export async function runCoordinatorSuite(options: CoordinatorSuiteOptions): Promise<ConformanceReport> {
  const startedAt = new Date();
  await reach(options.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const bus = options.redisUrl === undefined ? undefined : await Bus.connect(options.redisUrl);
  const { url, apiSecret, jwtSecret, deviations, onResult } = options;
  const target = { url, apiSecret, jwtSecret, bus, agent };
  const judge = (results: readonly CheckResult[]): readonly CheckResult[] =>
    deviations ? applyDeviations(results, deviations) : results;
  try {
    const results = await runChecks({
      checks: selectChecks(COORDINATOR_CHECKS, options.only),
      phases: PHASES,
      openBench: async (check: Check<CoordinatorBench>, signal) =>
        Promise.resolve(new CoordinatorBench(target, check.id, signal)),
      missing: (need) => missing(need, options),
      onResult: (result) => judge([result]).forEach((judged) => onResult?.(judged)),
    });
    return makeReport('coordinator', url, startedAt, judge(results));
  } finally {
    bus?.close();
    agent.destroy();
  }
}

function missing(need: Need, options: CoordinatorSuiteOptions): string | undefined {
  switch (need) {
    case 'bus':
      return options.redisUrl === undefined ? 'needs --redis-url' : undefined;
    case 'jwt':
      return options.jwtSecret === undefined ? 'needs --jwt-secret' : undefined;
    case 'slow':
      return options.slow ? undefined : 'waits for time-outs of the coordinator: needs --slow';
    case 'extensions':
      return options.scope === 'appproxy' ? 'not part of the scope appproxy' : undefined;
    default:
      return undefined;
  }
}
