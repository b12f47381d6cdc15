import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { parseIpList, unwrapMappedIpv4 } from '@penstock/protocol';

/** Raised instead of a connection when a replica's address lies outside the operator's networks. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/**
 * The operator's networks, asked at the moment of connecting. Names are checked by what they resolve to: a check at
 * write time alone would leave room to repoint the name afterwards.
 */
export class ReplicaNetworks {
  private readonly allowlist;

  constructor(networks: readonly string[]) {
    this.allowlist = parseIpList(networks);
  }

  /** @returns what is wrong with this host, null for an allowed address and for names, which {@link lookup} checks */
  refusal(host: string): ForbiddenAddressError | null {
    return isIP(host) === 0 || this.allows(host) ? null : forbidden(host);
  }

  /** Resolves as usual, but only to allowed addresses. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter((entry) => this.allows(entry.address));
      const [first] = allowed;
      if (first === undefined) return callback(forbidden(hostname), []);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

  /** An empty list allows nothing here. A mapped address is the IPv4 address that is connected to. */
  private allows(address: string): boolean {
    return this.allowlist.restricted && this.allowlist.allows(unwrapMappedIpv4(address));
  }
}

function forbidden(host: string): ForbiddenAddressError {
  return new ForbiddenAddressError(`${host} lies outside the replica networks`);
}
