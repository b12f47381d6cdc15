interface StockBody extends Readonly<Record<string, unknown>> {
  readonly authority: string;
}

const COMMON = {
  hostname: '127.0.0.1',
  tls_listen: false,
  tls_advertised: false,
  accepted_traffics: ['inference', 'interactive'],
  filtered_apps_only: false,
  app_filters: [],
  traefik_last_used_marker_path: null,
};

/** Registrations of the workers of the recordings, with authorities of this run. */
export function stockBodies(suffix: string): Readonly<Record<'wildcard' | 'port' | 'tcp', StockBody>> {
  return {
    wildcard: {
      ...COMMON,
      authority: `wildcard-worker-${suffix}`,
      frontend_mode: 'wildcard',
      protocol: 'http',
      api_port: 10202,
      wildcard_domain: '.models.example.com',
      wildcard_traffic_port: 10600,
    },
    port: {
      ...COMMON,
      authority: `port-worker-${suffix}`,
      frontend_mode: 'port',
      protocol: 'http',
      api_port: 10201,
      port_range: [10501, 10504],
    },
    tcp: {
      ...COMMON,
      authority: `tcp-worker-${suffix}`,
      frontend_mode: 'port',
      protocol: 'tcp',
      api_port: 10203,
      port_range: [11801, 11802],
      accepted_traffics: ['interactive'],
    },
  };
}
