/** What the host of a request stands for. */
export type HostMatch =
  | { readonly kind: 'label'; readonly label: string }
  /** All endpoints together, told apart by model name. */
  | { readonly kind: 'aggregate' }
  | { readonly kind: 'unknown' };

interface Rules {
  /** With its leading dot. */
  readonly domain: string;
  /** Further hosts that stand for all endpoints; null where none does, the domain itself neither. */
  readonly aggregationHosts: readonly string[] | null;
}

const UNKNOWN: HostMatch = { kind: 'unknown' };
const AGGREGATE: HostMatch = { kind: 'aggregate' };
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;
const PORT = /:\d*$/;

/** Reads hosts: case and port do not count, nor does the dot that ends a fully qualified name. */
export class HostRules {
  private readonly domain: string;
  private readonly aggregationHosts: ReadonlySet<string>;

  constructor({ domain, aggregationHosts }: Rules) {
    this.domain = domain.toLowerCase();
    const hosts = aggregationHosts === null ? [] : [this.domain.slice(1), ...aggregationHosts];
    this.aggregationHosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** @param target - request target; an absolute one names the host, and then the header does not count */
  match(target: string, hostHeader: string | undefined): HostMatch {
    const sent = target.startsWith('/') ? hostHeader : (ABSOLUTE.exec(target)?.[1] ?? hostHeader);
    if (sent === undefined) return UNKNOWN;
    const host = bareHost(sent);
    if (this.aggregationHosts.has(host)) return AGGREGATE;
    if (!host.endsWith(this.domain)) return UNKNOWN;
    const label = host.slice(0, -this.domain.length);
    return label === '' || label.includes('.') ? UNKNOWN : { kind: 'label', label };
  }
}

function bareHost(sent: string): string {
  const host = sent.toLowerCase().replace(PORT, '');
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
