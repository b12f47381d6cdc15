import type { RouterConfig } from '../../config/router.config.js';
import type { DataPlaneSettings } from '../ingress/index.js';

/** The data plane's view of the configuration. */
export function dataPlaneSettings(config: RouterConfig): DataPlaneSettings {
  const { timeouts } = config;
  return {
    bodyLimitBytes: config.body_limit_bytes,
    timeouts: {
      connectMs: timeouts.connect_ms,
      headersMs: timeouts.headers_ms,
      streamHeadersMs: timeouts.stream_headers_ms,
      idleMs: timeouts.idle_ms,
      requestMs: timeouts.request_ms,
    },
    maxAttempts: config.retry.max_attempts,
    strategy: config.selection.strategy,
    hideUngrantedModels: config.hide_ungranted_models,
    trustedProxies: config.trusted_proxies,
    corsAllowedOrigins: config.cors.allowed_origins,
    replicaNetworks: config.replica_networks,
    replicaClient: config.replica_client,
    processes: config.workers,
    maxInFlight: config.admission.max_in_flight,
    maxBufferedBytes: config.admission.max_buffered_bytes,
    wildcard: config.wildcard && {
      domain: config.wildcard.domain,
      jwtSecret: config.wildcard.jwt_secret,
      aggregationHosts: config.wildcard.aggregation_hosts,
    },
    internal: config.internal && { domain: config.internal.domain, jwtSecret: config.internal.jwt_secret },
  };
}
