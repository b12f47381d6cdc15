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
  /** Null for a router, which has no slots. */
  readonly wildcard: { readonly domain: string; readonly trafficPort: number | null } | null;
  readonly internalFrontend: { readonly host: string; readonly port: number; readonly domain: string } | null;
}

/**
 * Either mode serves inference over HTTP. Slot fields that do not belong to the mode are explicit nulls. A wildcard
 * worker always names its port: stock coordinators write whatever is there, null included, into the addresses they make.
 */
export function workerRequest(facts: RegistrationFacts): WorkerRequest {
  const { wildcard } = facts;
  return {
    authority: facts.authority,
    frontend_mode: wildcard === null ? 'router' : 'wildcard',
    protocol: 'http',
    hostname: facts.hostname,
    tls_listen: false,
    tls_advertised: facts.tlsAdvertised,
    api_port: facts.publicPort,
    port_range: null,
    wildcard_domain: wildcard?.domain ?? null,
    wildcard_traffic_port: wildcard === null ? null : (wildcard.trafficPort ?? facts.publicPort),
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
