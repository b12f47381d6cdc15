import { type Proof, proveMutations } from '../mutation/prove-mutations.js';
import { COORDINATOR_CHECKS } from './coordinator-checks.js';
import { type CoordinatorSuiteOptions, runCoordinatorSuite } from './run-coordinator-suite.js';

/** What a proof needs: everything that lets all checks run. */
export type ProofTarget = Required<
  Pick<CoordinatorSuiteOptions, 'url' | 'apiSecret' | 'jwtSecret' | 'redisUrl'>
>;

/** Checks outside the first phase depend on which workers there are. */
const LONELY = new Set(COORDINATOR_CHECKS.flatMap(({ id, phase }) => (phase === undefined ? [] : [id])));

/**
 * Proves on a conforming coordinator that every check finds its fault, and no other check does.
 * The secrets must be those of the example files: some faults are told by them.
 */
export function proveCoordinatorChecks(target: ProofTarget): Promise<readonly Proof[]> {
  return proveMutations({
    checks: COORDINATOR_CHECKS,
    isLonely: (checkId) => LONELY.has(checkId),
    url: target.url,
    redisUrl: target.redisUrl ?? '',
    run: (url, redisUrl, only) => runCoordinatorSuite({ ...target, url, redisUrl, only, slow: true }),
  });
}
