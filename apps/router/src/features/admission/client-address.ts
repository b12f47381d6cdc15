import { parseIpList, unwrapMappedIpv4 } from '@penstock/protocol';

/** Finds the address a request comes from, given the socket's peer and its `X-Forwarded-For`. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/**
 * Believes `X-Forwarded-For` only as far as trusted proxies wrote it: read from the right, the first address that is
 * not a trusted proxy is the client. What stands left of it is the client's own claim.
 */
export function clientAddressFinder(trustedProxies: readonly string[]): ClientAddress {
  const trusted = parseIpList(trustedProxies);
  const isTrusted = (address: string) => trusted.restricted && trusted.allows(address);
  return (peer, forwardedFor) => {
    if (!trusted.restricted || forwardedFor === undefined || !isTrusted(peer)) return peer;
    const hops = forwardedFor.split(',').map((hop) => bare(hop.trim()));
    for (let index = hops.length - 1; index >= 0; index -= 1) {
      const hop = hops[index] as string;
      if (!isTrusted(hop)) return hop;
    }
    return hops[0] ?? peer;
  };
}

/** Some proxies write `ip:port` or `[ip]:port`. */
function bare(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  const withPort = /^([^:]+):\d+$/.exec(hop);
  return unwrapMappedIpv4(bracketed?.[1] ?? withPort?.[1] ?? hop);
}
