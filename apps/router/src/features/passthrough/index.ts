/**
 * Any method and path of a circuit, streamed both ways between its client and one of its replicas. Who may reach the
 * circuit has been decided before.
 */
export { outgoingRequest, type OutgoingRequest } from './outgoing-request.js';
export { PassthroughAttempt, type AttemptOwner } from './passthrough-attempt.js';
export type { PassthroughDeps, PassthroughJob, StreamingClient } from './passthrough.port.js';
export { relayPassthrough } from './relay-passthrough.js';
export { ReplicaWalk } from './replica-walk.js';
