import type { LiveSettings } from '../../config/live-settings.js';
import type { DataPlaneSettings } from '../ingress/index.js';

/** The data plane's view of the configuration. Timeouts follow a reload; the rest is as the process started. */
export function dataPlaneSettings(settings: LiveSettings): DataPlaneSettings {
  const config = settings.current;
  return {
    bodyLimitBytes: config.body_limit_bytes,
    timeouts: liveTimeouts(settings),
    maxAttempts: config.retry.max_attempts,
    strategy: config.selection.strategy,
    hideUngrantedModels: config.hide_ungranted_models,
    trustedProxies: config.trusted_proxies,
    corsAllowedOrigins: config.cors.allowed_origins,
    replicaNetworks: config.replica_networks,
    processes: config.workers,
    maxInFlight: config.admission.max_in_flight,
    maxBufferedBytes: config.admission.max_buffered_bytes,
  };
}

function liveTimeouts(settings: LiveSettings): DataPlaneSettings['timeouts'] {
  return {
    get connectMs() {
      return settings.current.timeouts.connect_ms;
    },
    get headersMs() {
      return settings.current.timeouts.headers_ms;
    },
    get idleMs() {
      return settings.current.timeouts.idle_ms;
    },
    get requestMs() {
      return settings.current.timeouts.request_ms;
    },
  };
}
