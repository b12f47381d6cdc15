import { connect, isIPv6, type Socket } from 'node:net';
import type { ReplicaAddress } from '../../replica-client.port.js';
import type { TimerWheel } from '../../timer-wheel.js';
import type { ReplicaNetworks } from '../replica-networks.js';

interface DialOptions {
  readonly timers: TimerWheel;
  readonly networks: ReplicaNetworks;
  readonly connectTimeoutMs: number;
  /** Whether our side may go on sending when the replica has ended its own. */
  readonly allowHalfOpen?: boolean;
  readonly onTimeout: (error: Error) => void;
}

const TCP_KEEP_ALIVE_MS = 60_000;

/** A connection to a replica that is being made; names resolve to allowed addresses only. */
export function dialReplica({ host, port }: ReplicaAddress, options: DialOptions): Socket {
  const { timers, networks, connectTimeoutMs, allowHalfOpen = false, onTimeout } = options;
  const { lookup } = networks;
  const socket = connect({
    host,
    port,
    lookup,
    allowHalfOpen,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  });
  const timer = timers.create(() => onTimeout(connectTimeout(connectTimeoutMs)));
  timer.arm(connectTimeoutMs);
  socket.once('connect', () => timer.cancel()).once('close', () => timer.cancel());
  return socket;
}

/** What a request to this replica says as its host, unless it has one of its own. */
export function hostHeader({ host, port }: ReplicaAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function connectTimeout(afterMs: number): Error {
  const error = new Error(`The replica did not accept a connection within ${afterMs} ms`);
  return Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' });
}
