export interface RouterAddress {
  readonly hostname: string;
  readonly tlsAdvertised: boolean;
  readonly apiPort: number;
  readonly trafficPort: number | null;
}

/**
 * The one public address of a router authority, the same for each of its circuits. Only `tlsAdvertised` decides the
 * scheme (the listener may sit behind a balancer that ends TLS); a default port is left out; a slash ends it.
 */
export function routerUrl(address: RouterAddress): string {
  const host = address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname;
  const scheme = address.tlsAdvertised ? 'https' : 'http';
  return new URL(`${scheme}://${host}:${address.trafficPort ?? address.apiPort}`).href;
}
