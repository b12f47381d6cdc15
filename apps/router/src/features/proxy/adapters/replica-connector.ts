import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { parseIpList } from '@penstock/protocol';
import { buildConnector } from 'undici';

/** Raised instead of a connection when a replica's address lies outside the operator's networks. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

interface ConnectorOptions {
  readonly networks: readonly string[];
  readonly connectTimeoutMs: number;
}

/**
 * Connects to replicas, but only inside the operator's networks. Names are checked by what they resolve to at the
 * moment of connecting: a check at write time alone would leave room to repoint the name afterwards.
 */
export function replicaConnector(options: ConnectorOptions): buildConnector.connector {
  const allowlist = parseIpList(options.networks);
  const guarded = guardedLookup((address) => allowlist.allows(address));
  const connect = buildConnector({ timeout: options.connectTimeoutMs, allowH2: false, lookup: guarded });
  return (target, callback) => {
    if (isIP(unbracketed(target.hostname)) !== 0 && !allowlist.allows(unbracketed(target.hostname))) {
      return callback(forbidden(target.hostname), null);
    }
    connect(target, callback);
  };
}

function guardedLookup(allows: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter((entry) => allows(entry.address));
      const [first] = allowed;
      if (first === undefined) return callback(forbidden(hostname), []);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function forbidden(hostname: string): ForbiddenAddressError {
  return new ForbiddenAddressError(`${hostname} lies outside the replica networks`);
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
