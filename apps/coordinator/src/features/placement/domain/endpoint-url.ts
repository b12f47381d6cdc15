import type { FrontendMode, InternalFrontend, ProxyProtocol, Visibility } from '@penstock/protocol';

import { urlHost } from '../../../wire/url-host.js';
import type { WorkerAddress } from './placement-worker.js';

/** A circuit as far as its address goes. */
export interface AddressedCircuit {
  readonly protocol: ProxyProtocol;
  readonly frontendMode: FrontendMode;
  readonly visibility: Visibility;
  readonly port: number | null;
  readonly subdomain: string | null;
}

type Address = Omit<WorkerAddress, 'frontendMode'>;

/**
 * The address of a circuit, normalised as peers expect it: a default port is left out and a slash ends a web address.
 * Built by hand, because a URL parser refuses labels that peers allow, such as cut punycode.
 */
export function endpointUrl(worker: Address, circuit: AddressedCircuit): string {
  if (circuit.visibility === 'internal') return internalUrl(worker.internalFrontend, circuit.subdomain ?? '');
  switch (circuit.frontendMode) {
    case 'router':
      return routerUrl(worker);
    case 'wildcard': {
      const host = `${circuit.subdomain ?? ''}${dotted(worker.wildcardDomain ?? '')}`;
      return join(schemeOf(circuit.protocol, usesTls(worker)), host, worker.wildcardTrafficPort);
    }
    case 'port':
      return join(schemeOf(circuit.protocol, usesTls(worker)), worker.hostname, circuit.port);
  }
}

/**
 * The one public address of a router authority, the same for each of its circuits. Only `tlsAdvertised` decides the
 * scheme: the listener may sit behind a balancer that ends TLS.
 */
function routerUrl({ tlsAdvertised, hostname, trafficPort, apiPort }: Address): string {
  return join(tlsAdvertised ? 'https' : 'http', hostname, trafficPort ?? apiPort);
}

/** Inside the cluster nothing ends TLS. */
function internalUrl(frontend: InternalFrontend | null, label: string): string {
  return join('http', `${label}${dotted(frontend?.domain ?? '')}`, frontend?.port ?? null);
}

function usesTls({ tlsListen, tlsAdvertised }: Address): boolean {
  return tlsListen || tlsAdvertised;
}

function schemeOf(protocol: ProxyProtocol, tls: boolean): string {
  switch (protocol) {
    case 'grpc':
      return 'grpc';
    case 'tcp':
    case 'vnc':
    case 'rdp':
      return tls ? 'tls' : 'tcp';
    default:
      return tls ? 'https' : 'http';
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

function join(scheme: string, hostname: string, port: number | null): string {
  const host = urlHost(hostname).toLowerCase();
  const isDefault = port === null || port === DEFAULT_PORTS[scheme];
  const end = scheme in DEFAULT_PORTS ? '/' : '';
  return `${scheme}://${host}${isDefault ? '' : `:${port}`}${end}`;
}

function dotted(domain: string): string {
  return domain === '' || domain.startsWith('.') ? domain : `.${domain}`;
}
