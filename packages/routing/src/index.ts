export { pickWeighted } from './pick-weighted.js';
export {
  DEFAULT_HEALTH_RULES,
  ReplicaHealth,
  type HealthRules,
  type HealthSignal,
} from './replica-health.js';
export {
  isRetryableStatus,
  mayRetry,
  neverReached,
  signalOfFailure,
  signalOfStatus,
  type AttemptFailure,
  type RetrySituation,
} from './retry-decision.js';
export { sanitiseWeight } from './sanitise-weight.js';
export type { EndpointChoice, GroupChoice, ReplicaChoice } from './scope.js';
export { selectReplica, type Selected, type Selection, type Strategy } from './select-replica.js';
export { replicaShares, type ReplicaShare } from './shares.js';
export { leastInFlight, weightedRandom } from './strategies.js';
export { TokenBucket, type Admission } from './token-bucket.js';
