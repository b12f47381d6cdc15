import { Inject, Injectable } from '@nestjs/common';
import { type FieldError, type IpAllowlist, parseIpList, unwrapMappedIpv4 } from '@penstock/protocol';

import { fieldProblems } from '../../problems.js';
import { HOST_RESOLVER, type HostResolver } from './host-resolver.port.js';

export const REPLICA_NETWORKS = Symbol('replica networks');

/** A host and the field it came from. */
export interface WrittenHost {
  readonly field: string;
  readonly host: string;
}

/**
 * Replica addresses are written by projects, so they must lie in the operator's networks: otherwise a project could
 * aim the routers at anything they can reach. A name counts only when all of its addresses do. The routers check
 * again when they connect, because a name can change.
 */
@Injectable()
export class ReplicaAddressPolicy {
  readonly #networks: IpAllowlist;
  readonly #written: string;

  constructor(
    @Inject(REPLICA_NETWORKS) networks: readonly string[],
    @Inject(HOST_RESOLVER) private readonly resolver: HostResolver,
  ) {
    this.#networks = parseIpList(networks);
    this.#written = networks.join(', ');
  }

  /** @throws AppError `replica.address_not_allowed` naming every field at fault */
  async check(hosts: readonly WrittenHost[]): Promise<void> {
    const verdicts = new Map<string, Promise<string | null>>();
    for (const { host } of hosts) if (!verdicts.has(host)) verdicts.set(host, this.#verdict(host));
    const problems: FieldError[] = [];
    for (const { field, host } of hosts) {
      const message = (await verdicts.get(host)) ?? null;
      if (message !== null) problems.push({ field, message });
    }
    if (problems.length > 0) throw fieldProblems(problems, 'replica.address_not_allowed');
  }

  async #verdict(host: string): Promise<string | null> {
    const addresses = await this.resolver.resolve(host);
    if (addresses.length === 0) return `The host ${host} has no address.`;
    const outside = addresses.map(unwrapMappedIpv4).find((address) => !this.#networks.allows(address));
    return outside === undefined
      ? null
      : `${host} is outside the allowed replica networks (${this.#written}).`;
  }
}
