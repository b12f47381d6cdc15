import type { Duplex } from 'node:stream';
import type { ReplicaAddress, ReplicaCall, ReplicaRequest, ReplicaSink } from './replica-client.port.js';

/** Takes a replica's answer to an upgrade: `switched` when it agrees, else an ordinary answer. */
export interface TunnelSink extends ReplicaSink {
  /**
   * The connection is the taker's from here on, with its errors and its end.
   * @param early - what came together with the head
   */
  switched(rawHeaders: readonly string[], socket: Duplex, early: Buffer): void;
}

/** Asks replicas to leave HTTP on a connection of its own; inside the operator's networks only, as all calls. */
export interface TunnelDialer {
  /** @param protocol - value of `Upgrade` */
  dial(replica: ReplicaAddress, request: ReplicaRequest, protocol: string, sink: TunnelSink): ReplicaCall;
}
