import type {
  ReplicaAddress,
  ReplicaCall,
  ReplicaClient,
  ReplicaRequest,
  ReplicaSink,
} from '../../replica-client.port.js';
import type { TimerWheel } from '../../timer-wheel.js';
import { ReplicaNetworks } from '../replica-networks.js';
import { ConnectionPool, type PoolOptions } from './connection-pool.js';
import { Http1Call } from './http1-call.js';

interface Http1ReplicaClientOptions {
  readonly timers: TimerWheel;
  readonly connectTimeoutMs: number;
  readonly networks: readonly string[];
  readonly idlePerReplicaMax?: number;
}

const IDLE_PER_REPLICA_MAX = 256;

/**
 * Replicas through HTTP/1.1 of our own over plain sockets: the part of the protocol that model servers speak, and
 * nothing that the forwarding does not need. No pipelining, no redirects, no decompression, no TLS.
 */
export class Http1ReplicaClient implements ReplicaClient {
  private readonly pools = new Map<string, ConnectionPool>();
  private readonly poolOptions: PoolOptions;

  constructor({ timers, connectTimeoutMs, networks, idlePerReplicaMax }: Http1ReplicaClientOptions) {
    const idleMax = idlePerReplicaMax ?? IDLE_PER_REPLICA_MAX;
    this.poolOptions = { timers, connectTimeoutMs, networks: new ReplicaNetworks(networks), idleMax };
  }

  send(replica: ReplicaAddress, request: ReplicaRequest, sink: ReplicaSink): ReplicaCall {
    const call = new Http1Call(request, sink);
    try {
      this.pool(replica).send(call);
    } catch (error) {
      call.fail(error as Error);
    }
    return call;
  }

  retain(addressKeys: ReadonlySet<string>): void {
    for (const [key, pool] of this.pools) {
      if (addressKeys.has(key)) continue;
      this.pools.delete(key);
      pool.close();
    }
  }

  destroy(): Promise<void> {
    for (const pool of this.pools.values()) pool.destroy();
    this.pools.clear();
    return Promise.resolve();
  }

  private pool(replica: ReplicaAddress): ConnectionPool {
    const known = this.pools.get(replica.key);
    if (known !== undefined) return known;
    const pool = new ConnectionPool(replica, this.poolOptions);
    this.pools.set(replica.key, pool);
    return pool;
  }
}
