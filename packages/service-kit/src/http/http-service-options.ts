import type { Logger, Metrics } from '@penstock/observability';

import type { MapError } from '../errors/classify-failure.js';
import type { HealthRegistry } from '../health/health-registry.js';

/** Style of error bodies: AppProxy's own, or RFC 9457. */
export type ErrorStyle = 'appproxy' | 'problem';

export interface HttpServiceOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly errors: ErrorStyle;
  /** Larger bodies are a 413. Default 1 MiB. */
  readonly bodyLimitBytes?: number;
  /** Request head and body must have arrived within this time. Default 30 000 ms. */
  readonly requestTimeoutMs?: number;
  /** Idle kept-alive connections are closed after this time. Default 30 000 ms, as AppProxy's own server. */
  readonly keepAliveTimeoutMs?: number;
  /** How long `close` waits for open connections before it ends them. Default 20 000 ms, within a stop's deadline. */
  readonly drainTimeoutMs?: number;
  /** Turns errors of libraries into ours before anything else looks at them. */
  readonly mapError?: MapError;
  /** Adds liveness, readiness and, where named, metrics routes outside any guard. */
  readonly probes?: ProbeOptions;
}

export interface ProbeOptions {
  readonly health: HealthRegistry;
  /** Default `/healthz`. */
  readonly livePath?: string;
  /** Default `/readyz`. */
  readonly readyPath?: string;
  /** No metrics route unless named. */
  readonly metricsPath?: string;
}
