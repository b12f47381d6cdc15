import type { Visibility } from '@penstock/protocol';

import type { PlacementWorker } from './placement-worker.js';

/** What a circuit would like to have of its worker's slots. */
export interface SlotPreference {
  readonly port: number | null;
  /** First label of a host name. */
  readonly label: string | null;
}

interface Match {
  readonly worker: PlacementWorker;
  readonly preference: SlotPreference;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The worker that has this address on its frontend: by domain, then by host and port range. Null when none has. */
export function matchExistingUrl(
  existingUrl: string | null,
  visibility: Visibility,
  workers: readonly PlacementWorker[],
): Match | null {
  const url = existingUrl === null ? null : parse(existingUrl);
  if (!url) return null;
  const byDomain = workers.find((worker) => hasDomain(url, labelDomain(worker, visibility)));
  if (byDomain) return { worker: byDomain, preference: { port: null, label: firstLabel(url) } };
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  const byPort = visibility === 'public' && workers.find((worker) => hasPort(worker, url.hostname, port));
  return byPort ? { worker: byPort, preference: { port, label: null } } : null;
}

/** Text nobody can parse matches no worker; it is a hint, and a manager repeats it for ever. */
function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function firstLabel({ hostname }: URL): string {
  return hostname.split('.')[0] ?? '';
}

/** Everything after the first label, with its dot. */
function hasDomain(url: URL, domain: string | null): boolean {
  return domain !== null && url.hostname.slice(firstLabel(url).length) === domain;
}

function labelDomain(worker: PlacementWorker, visibility: Visibility): string | null {
  const domain =
    visibility === 'internal' ? (worker.internalFrontend?.domain ?? null) : wildcardDomain(worker);
  return domain === null ? null : `.${domain.replace(/^\./, '').toLowerCase()}`;
}

function wildcardDomain({ frontendMode, wildcardDomain: domain }: PlacementWorker): string | null {
  return frontendMode === 'wildcard' ? domain : null;
}

function hasPort(worker: PlacementWorker, hostname: string, port: number): boolean {
  if (worker.frontendMode !== 'port' || worker.portRange === null) return false;
  const [first, last] = worker.portRange;
  return bare(worker.hostname) === bare(hostname) && first <= port && port <= last;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
