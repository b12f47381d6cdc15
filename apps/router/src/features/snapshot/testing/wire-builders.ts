import type { Circuit, ModelApiKey, Publication, ReplicaGroup, RouteInfo } from '@penstock/protocol';

const AT = '2026-01-01T00:00:00Z';

/** A route to a replica that nothing listens on. */
export function route(routeId: string, over: Partial<RouteInfo> = {}): RouteInfo {
  return {
    session_id: 'session',
    session_name: null,
    kernel_host: '10.0.0.1',
    kernel_port: 8000,
    protocol: 'http',
    route_id: routeId,
    traffic_ratio: 1,
    ...over,
  };
}

/** An inference circuit of a router. */
export function circuit(id: string, endpointId: string, over: Partial<Circuit> = {}): Circuit {
  return {
    id,
    app: 'app',
    protocol: 'http',
    worker: '00000000-0000-4000-8000-000000000001',
    app_mode: 'inference',
    frontend_mode: 'router',
    envs: {},
    arguments: null,
    open_to_public: false,
    allowed_client_ips: null,
    port: null,
    subdomain: null,
    user_id: null,
    endpoint_id: endpointId,
    runtime_variant: null,
    route_info: [route(`${id}-r1`)],
    session_ids: [],
    created_at: AT,
    updated_at: AT,
    ...over,
  };
}

export function group(
  id: string,
  weight: number,
  lifecycle: ReplicaGroup['lifecycle'] = 'stable',
): ReplicaGroup {
  return { id, traffic_weight: weight, lifecycle };
}

/** Each mapping is an endpoint id with its ratio. */
export function publication(
  model: string,
  mappings: Readonly<Record<string, number>> = {},
  over: Partial<Publication> = {},
): Publication {
  return {
    model,
    aliases: [],
    mappings: Object.entries(mappings).map(([endpoint_id, ratio]) => ({ endpoint_id, ratio })),
    control_mode: 'manual',
    ...over,
  };
}

/** The hash is the id, padded: unique, and no hash of anything. */
export function apiKey(keyId: string, over: Partial<ModelApiKey> = {}): ModelApiKey {
  const hash = Buffer.from(keyId).toString('hex').padEnd(64, '0').slice(0, 64);
  return {
    key_id: keyId,
    token_hash: hash,
    allowed_models: ['m'],
    expires_at: null,
    rate_limit: null,
    allowed_client_ips: null,
    ...over,
  };
}
