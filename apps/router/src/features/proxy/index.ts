/**
 * From a chosen endpoint to the last byte of the answer: the walk over replicas, one attempt, the relay. It decides
 * nothing about who may call what, and knows no socket on either side.
 */
export { createReplicaClient, type ReplicaClientKind } from './adapters/create-replica-client.js';
export { Http1TunnelDialer } from './adapters/http1/http1-tunnel.dialer.js';
export type { ClientListener, ClientSink, Interruption } from './client-sink.port.js';
export { cutError, failureError } from './domain/failure-error.js';
export { faultOfStatus } from './domain/fault-of-status.js';
export { headerValue, requestHeaders } from './domain/header-policy.js';
export { interruptionError } from './domain/interruption-error.js';
export { openAiError } from './domain/openai-error.js';
export { jsonKey, scanJsonObject, type JsonMember } from './domain/scan-json.js';
export {
  transparentAnswerHeaders,
  transparentRequestHeaders,
  upgradeProtocol,
} from './domain/transparent-headers.js';
export type { ForwardingDeps, ForwardJob } from './forward-job.js';
export { Forwarding } from './forwarding.js';
export { ModelDiscovery } from './model-discovery.js';
export type { PullSource, ReplicaCall, ReplicaClient, ReplicaSink } from './replica-client.port.js';
export { ReplicaVisit } from './replica-visit.js';
export { TimerWheel, type Timer } from './timer-wheel.js';
export type { TunnelDialer, TunnelSink } from './tunnel.port.js';
