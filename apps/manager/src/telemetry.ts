import type { Metrics } from '@penstock/observability';
import type { Counter, Gauge } from 'prom-client';

export const LOGGER = Symbol('Logger');
export const METRICS = Symbol('ManagerMetrics');

/** The manager's own series. Labels are kinds and outcomes, never a tenant, a key or a name. */
export interface ManagerMetrics {
  readonly pushes: Counter<'kind' | 'outcome'>;
  readonly outboxEntries: Gauge<'status'>;
  readonly drift: Counter<'kind'>;
  readonly shrunkKeys: Counter<'outcome'>;
  readonly reconciles: Counter<'outcome'>;
  readonly upstreamRotations: Counter<'outcome'>;
  readonly upstreamTokens: Gauge<'state'>;
  readonly environmentDeliveries: Counter<'outcome'>;
}

export function createManagerMetrics(metrics: Metrics): ManagerMetrics {
  return {
    pushes: metrics.counter({
      name: 'penstock_manager_pushes_total',
      help: 'Entities pushed to the coordinator, by outcome.',
      labelNames: ['kind', 'outcome'],
    }),
    outboxEntries: metrics.gauge({
      name: 'penstock_manager_outbox_entries',
      help: 'Entities that still have to be pushed; poisoned ones were refused and wait for a change.',
      labelNames: ['status'],
    }),
    drift: metrics.counter({
      name: 'penstock_manager_drift_total',
      help: 'Entities whose copy on the coordinator differed from the tables and was pushed again.',
      labelNames: ['kind'],
    }),
    shrunkKeys: metrics.counter({
      name: 'penstock_manager_shrunk_keys_total',
      help: 'Keys that lost grants because a name went away or their owner lost access.',
      labelNames: ['outcome'],
    }),
    reconciles: metrics.counter({
      name: 'penstock_manager_reconciles_total',
      help: 'Reconciliation rounds per authority, by outcome.',
      labelNames: ['outcome'],
    }),
    upstreamRotations: metrics.counter({
      name: 'penstock_manager_upstream_rotations_total',
      help: 'Attempts to mint the token of an upstream binding, by outcome.',
      labelNames: ['outcome'],
    }),
    upstreamTokens: metrics.gauge({
      name: 'penstock_manager_upstream_tokens',
      help: 'Upstream bindings by the state of their token; expiring and expired ones could not be rotated in time.',
      labelNames: ['state'],
    }),
    environmentDeliveries: metrics.counter({
      name: 'penstock_manager_environment_deliveries_total',
      help: 'Service environments written to or removed from the configured directory, by outcome.',
      labelNames: ['outcome'],
    }),
  };
}
