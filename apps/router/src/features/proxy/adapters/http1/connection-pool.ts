import type { ReplicaAddress } from '../../replica-client.port.js';
import type { Timer, TimerWheel } from '../../timer-wheel.js';
import type { ReplicaNetworks } from '../replica-networks.js';
import { dialReplica, hostHeader } from './dial-replica.js';
import type { Http1Call } from './http1-call.js';
import { ReplicaConnection, type ConnectionKeeper } from './replica-connection.js';

export interface PoolOptions {
  readonly timers: TimerWheel;
  readonly networks: ReplicaNetworks;
  readonly connectTimeoutMs: number;
  /** Idle connections kept; those beyond are closed. */
  readonly idleMax: number;
}

/** Without a word from the replica: below the shortest keep-alive of common model servers, five seconds. */
const IDLE_MS = 4_000;
const IDLE_MS_MAX = 60_000;
/** A connection is given up this long before the replica would close it under the next request. */
const IDLE_MARGIN_MS = 1_000;
const SWEEP_MS = 1_000;

/**
 * The connections to one replica. A call takes the one used last, which leaves the others to age, or makes a new one:
 * how many there are is bounded by the requests this process admits, how many stay idle by this pool.
 */
export class ConnectionPool implements ConnectionKeeper {
  private readonly all = new Set<ReplicaConnection>();
  private readonly idle: ReplicaConnection[] = [];
  private readonly sweeper: Timer;
  private sweeping = false;
  private closing = false;
  private readonly host: string;

  constructor(
    private readonly address: ReplicaAddress,
    private readonly options: PoolOptions,
  ) {
    this.host = hostHeader(address);
    this.sweeper = options.timers.create(() => this.sweep());
  }

  send(call: Http1Call): void {
    const connection = call.fresh ? null : this.takeIdle();
    if (connection !== null) return connection.carry(call);
    const refusal = this.options.networks.refusal(this.address.host);
    // Not at once: the caller may go through a long list of replicas, each from within the failure of the last.
    if (refusal !== null) return process.nextTick(() => call.fail(refusal));
    this.dial().carry(call);
  }

  /** Idle connections are closed now, the others when their call has ended. */
  close(): void {
    this.closing = true;
    this.sweeper.cancel();
    for (const connection of this.idle.splice(0)) connection.destroy();
  }

  /** Closes every connection now; calls under way fail. */
  destroy(): void {
    this.close();
    for (const connection of [...this.all]) {
      connection.broken(new Error('The router closed its connections to this replica'));
    }
  }

  released(connection: ReplicaConnection): void {
    if (this.closing || this.idle.length >= this.options.idleMax) return connection.destroy();
    connection.idleUntilMs = this.options.timers.now() + idleMs(connection.keepAliveSeconds);
    this.idle.push(connection);
    if (!this.sweeping) this.scheduleSweep();
  }

  closed(connection: ReplicaConnection): void {
    this.all.delete(connection);
    const index = this.idle.indexOf(connection);
    if (index !== -1) this.idle.splice(index, 1);
  }

  private takeIdle(): ReplicaConnection | null {
    for (let last = this.idle.pop(); last !== undefined; last = this.idle.pop()) {
      if (!last.destroyed && last.idleUntilMs > this.options.timers.now()) return last;
      last.destroy();
    }
    return null;
  }

  private dial(): ReplicaConnection {
    const { timers, networks, connectTimeoutMs } = this.options;
    const socket = dialReplica(this.address, {
      timers,
      networks,
      connectTimeoutMs,
      onTimeout: (error) => connection.broken(error),
    });
    const connection = new ReplicaConnection(socket, this.host, this);
    this.all.add(connection);
    return connection;
  }

  private scheduleSweep(): void {
    this.sweeping = true;
    this.sweeper.arm(SWEEP_MS);
  }

  private sweep(): void {
    this.sweeping = false;
    const nowMs = this.options.timers.now();
    const kept = this.idle.filter((connection) => connection.idleUntilMs > nowMs);
    for (const connection of this.idle) if (connection.idleUntilMs <= nowMs) connection.destroy();
    this.idle.splice(0, this.idle.length, ...kept);
    if (kept.length > 0) this.scheduleSweep();
  }
}

function idleMs(saidSeconds: number | null): number {
  if (saidSeconds === null) return IDLE_MS;
  return Math.min(saidSeconds * 1_000 - IDLE_MARGIN_MS, IDLE_MS_MAX);
}
