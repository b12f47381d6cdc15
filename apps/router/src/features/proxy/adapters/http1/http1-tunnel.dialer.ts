import type { ReplicaAddress, ReplicaCall, ReplicaRequest } from '../../replica-client.port.js';
import type { TimerWheel } from '../../timer-wheel.js';
import type { TunnelDialer, TunnelSink } from '../../tunnel.port.js';
import { ReplicaNetworks } from '../replica-networks.js';
import { dialReplica, hostHeader } from './dial-replica.js';
import { requestHead } from './request-head.js';
import { TunnelCall } from './tunnel-call.js';

interface TunnelDialerOptions {
  readonly timers: TimerWheel;
  readonly connectTimeoutMs: number;
  readonly networks: readonly string[];
}

/** Asks over a connection of its own, which is never kept, whichever client carries the other requests. */
export class Http1TunnelDialer implements TunnelDialer {
  private readonly networks: ReplicaNetworks;

  constructor(private readonly options: TunnelDialerOptions) {
    this.networks = new ReplicaNetworks(options.networks);
  }

  dial(replica: ReplicaAddress, request: ReplicaRequest, protocol: string, sink: TunnelSink): ReplicaCall {
    const call = new TunnelCall(sink);
    const refusal = this.networks.refusal(replica.host);
    // Not at once: the caller may go through a list of replicas, each from within the failure of the last.
    if (refusal !== null) process.nextTick(() => call.fail(refusal));
    else this.connect(call, replica, request, protocol);
    return call;
  }

  private connect(
    call: TunnelCall,
    replica: ReplicaAddress,
    request: ReplicaRequest,
    protocol: string,
  ): void {
    const { timers, connectTimeoutMs } = this.options;
    const head = requestHead(hostHeader(replica), request, protocol);
    const socket = dialReplica(replica, {
      timers,
      networks: this.networks,
      connectTimeoutMs,
      allowHalfOpen: true,
      onTimeout: (error) => call.fail(error),
    });
    call.begin(socket, head, request.method === 'HEAD');
  }
}
