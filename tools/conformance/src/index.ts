/**
 * Black-box suites that anyone can point at an AppProxy coordinator or worker. Every check names the section of the
 * AppProxy protocol it holds the target to, and a fault that it must find.
 */
export { runCoordinatorSuite, type CoordinatorSuiteOptions } from './coordinator/run-coordinator-suite.js';
export { coordinatorCheckList } from './coordinator/coordinator-checks.js';
export {
  conforms,
  resultLine,
  summaryLine,
  type CheckResult,
  type CheckStatus,
  type ConformanceReport,
} from './checking/report.js';
export { readDeviations, type Deviations } from './checking/deviations.js';
export { proveCoordinatorChecks } from './coordinator/prove-coordinator-checks.js';
export type { Proof } from './mutation/prove-mutations.js';
export { runWorkerSuite } from './worker/run-worker-suite.js';
export { workerCheckList } from './worker/worker-checks.js';
export type { WorkerMode, WorkerSuiteOptions } from './worker/worker-suite-options.js';
export { provePortChecks } from './worker/prove-port-checks.js';
export { proveWorkerChecks } from './worker/prove-worker-checks.js';
export type { StartedWorker, WorkerProofTarget } from './worker/proof-stage.js';
