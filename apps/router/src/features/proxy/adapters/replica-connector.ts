import { buildConnector } from 'undici';
import { ReplicaNetworks } from './replica-networks.js';

interface ConnectorOptions {
  readonly networks: readonly string[];
  readonly connectTimeoutMs: number;
}

/** Connects undici's pools to replicas, but only inside the operator's networks. */
export function replicaConnector(options: ConnectorOptions): buildConnector.connector {
  const networks = new ReplicaNetworks(options.networks);
  const { lookup } = networks;
  const connect = buildConnector({ timeout: options.connectTimeoutMs, allowH2: false, lookup });
  return (target, callback) => {
    const refusal = networks.refusal(unbracketed(target.hostname));
    if (refusal !== null) return callback(refusal, null);
    connect(target, callback);
  };
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
