import { selectChecks } from '../checking/select-checks.js';
import { ACCESS_CHECKS } from './checks/access.checks.js';
import { EVENT_CHECKS } from './checks/events.checks.js';
import { FORWARDING_CHECKS } from './checks/forwarding.checks.js';
import { REPLICA_CHECKS } from './checks/replicas.checks.js';
import { ROUTER_CHECKS } from './checks/router.checks.js';
import { DEPARTURE_CHECKS, START_CHECKS } from './checks/start.checks.js';
import { STATISTICS_CHECKS } from './checks/statistics.checks.js';
import { WEBSOCKET_CHECKS } from './checks/websocket.checks.js';
import type { WorkerCheck } from './worker-check.js';
import type { WorkerMode } from './worker-suite-options.js';

const WORKER_CHECKS: readonly WorkerCheck[] = [
  ...START_CHECKS,
  ...EVENT_CHECKS,
  ...ACCESS_CHECKS,
  ...FORWARDING_CHECKS,
  ...REPLICA_CHECKS,
  ...WEBSOCKET_CHECKS,
  ...STATISTICS_CHECKS,
  ...ROUTER_CHECKS,
  ...DEPARTURE_CHECKS,
];

/** The checks that apply to workers of one mode, in the order of the report. */
export function workerChecks(mode: WorkerMode): readonly WorkerCheck[] {
  return WORKER_CHECKS.filter(({ modes }) => modes.includes(mode));
}

/** What the suite would check; of all modes unless one is given. */
export function workerCheckList(
  only?: string,
  mode?: WorkerMode,
): readonly Pick<WorkerCheck, 'id' | 'section' | 'title'>[] {
  return selectChecks(mode ? workerChecks(mode) : WORKER_CHECKS, only).map(({ id, section, title }) => ({
    id,
    section,
    title,
  }));
}
