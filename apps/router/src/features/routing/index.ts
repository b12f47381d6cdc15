/** From a model name to the replica of one attempt: what may be called, what it resolves to, who is fit to serve. */
export { authoriseModel, isGranted } from './authorise-model.js';
export { registerReplicaMetrics } from './replica-metrics.js';
export { ReplicaRegistry, type EndpointPlan } from './replica-registry.js';
export { ReplicaState } from './replica-state.js';
export { admittingEndpoints, TargetSelector, type Target } from './select-target.js';
export { viewGroups, type GroupView } from './view-groups.js';
