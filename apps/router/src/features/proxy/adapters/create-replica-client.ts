import type { ReplicaClient } from '../replica-client.port.js';
import type { TimerWheel } from '../timer-wheel.js';
import { Http1ReplicaClient } from './http1/http1-replica.client.js';
import { UndiciReplicaClient } from './undici-replica.client.js';

/** Which client speaks to replicas. */
export type ReplicaClientKind = 'http1' | 'undici';

interface ReplicaClientOptions {
  readonly timers: TimerWheel;
  readonly connectTimeoutMs: number;
  readonly networks: readonly string[];
}

/** Both behave alike; ours costs less per request. */
export function createReplicaClient(kind: ReplicaClientKind, options: ReplicaClientOptions): ReplicaClient {
  return kind === 'http1' ? new Http1ReplicaClient(options) : new UndiciReplicaClient(options);
}
