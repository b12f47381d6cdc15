import type { WorkerRequest } from '@penstock/protocol';

/** What a router tells the coordinator when it registers. */
export interface RegistrationFacts {
  readonly authority: string;
  readonly nodeId: string;
  readonly version: string;
  readonly hostname: string;
  readonly tlsAdvertised: boolean;
  /** Port of the public listener as bound. */
  readonly publicPort: number;
  /** Port clients use; null when it is the public port. */
  readonly trafficPort: number | null;
  /** `host:port` of this node's admin listener. */
  readonly adminAddress: string;
  readonly internalFrontend: { readonly host: string; readonly port: number; readonly domain: string } | null;
}

/** A router serves inference over HTTP and owns no slots, so the slot fields are explicit nulls. */
export function workerRequest(facts: RegistrationFacts): WorkerRequest {
  return {
    authority: facts.authority,
    frontend_mode: 'router',
    protocol: 'http',
    hostname: facts.hostname,
    tls_listen: false,
    tls_advertised: facts.tlsAdvertised,
    api_port: facts.publicPort,
    port_range: null,
    wildcard_domain: null,
    wildcard_traffic_port: null,
    filtered_apps_only: false,
    traefik_last_used_marker_path: null,
    accepted_traffics: ['inference'],
    app_filters: [],
    traffic_port: facts.trafficPort,
    node_id: facts.nodeId,
    ...(facts.internalFrontend && { internal_frontend: facts.internalFrontend }),
    address: facts.adminAddress,
    version: facts.version,
  };
}
