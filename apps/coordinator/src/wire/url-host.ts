/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
