import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

import type { HostResolver } from '../host-resolver.port.js';

const DEADLINE_MS = 3_000;

/** Asks the system's resolver, which is what a router dials through too. */
export class DnsHostResolver implements HostResolver {
  async resolve(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never[]>((resolve) => {
      timer = setTimeout(() => resolve([]), DEADLINE_MS);
    });
    const asked = lookup(host, { all: true }).then(
      (found) => found.map(({ address }) => address),
      () => [],
    );
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
