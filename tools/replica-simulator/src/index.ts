/**
 * A model server that behaves like vLLM towards its clients and takes orders on a second port: latency, faults,
 * and a record of what it saw. It does not run a model and does not check credentials.
 */
export { startReplica, type ReplicaOptions, type RunningReplica } from './start-replica.js';
export type { Behaviour, BehaviourPatch } from './behaviour.js';
export type { Fault } from './faults.js';
export type { SeenRequest } from './request-log.js';
