import { Module } from '@nestjs/common';
import { createEventBus } from '@penstock/event-bus';
import { EVENT_SOURCES } from '@penstock/protocol';
import type { LiveSettings } from '../../config/live-settings.js';
import type { RouterConfig } from '../../config/router.config.js';
import { PROCESS_CONTEXT, type ProcessContext } from '../../process-context.js';
import { SnapshotModule, SnapshotStore } from '../snapshot/index.js';
import { systemClock } from './adapters/system.clock.js';
import { UndiciCoordinatorClient } from './adapters/undici-coordinator.client.js';
import { circuitsOnly } from './circuits-only.client.js';
import { ControlPlane } from './control-plane.js';
import type { ControlTimings } from './control-timings.js';
import type { CoordinatorClient } from './coordinator-client.port.js';

@Module({
  imports: [SnapshotModule],
  providers: [
    { provide: ControlPlane, inject: [PROCESS_CONTEXT, SnapshotStore], useFactory: createControlPlane },
  ],
  exports: [ControlPlane],
})
export class ControlModule {}

function createControlPlane(context: ProcessContext, snapshots: SnapshotStore): ControlPlane {
  const { settings, nodeId, version, logger, metrics } = context;
  const { authority, mode, redis_url: redisUrl, events_enabled: eventsEnabled } = settings.current;
  const client = coordinatorClient(settings);
  const control = new ControlPlane({
    identity: { authority, nodeId, version },
    mode,
    client: mode === 'wildcard' ? circuitsOnly(client) : client,
    bus: eventsEnabled ? createEventBus({ redisUrl, source: EVENT_SOURCES.worker, logger }) : null,
    snapshots,
    timings: () => timings(settings.current),
    rules: () => keyRules(settings.current),
    clock: systemClock,
    logger,
    metrics,
  });
  rebuildOnReload(settings, control);
  return control;
}

function coordinatorClient(settings: LiveSettings): CoordinatorClient {
  const { url, api_secret: apiSecret } = settings.current.coordinator;
  const timeoutMs = () => settings.current.coordinator.request_timeout_ms;
  return new UndiciCoordinatorClient({ url, apiSecret, timeoutMs });
}

function timings(config: RouterConfig): ControlTimings {
  return {
    heartbeatPeriodMs: config.heartbeat_period_ms,
    reconcileIntervalMs: config.reconcile_interval_ms,
    backoffMinMs: config.coordinator.backoff_min_ms,
    backoffMaxMs: config.coordinator.backoff_max_ms,
    refusedRetryMs: config.coordinator.refused_retry_ms,
  };
}

function keyRules(config: RouterConfig) {
  return { allowUnrestrictedKeys: config.allow_unrestricted_keys, processes: config.workers };
}

function rebuildOnReload(settings: LiveSettings, control: ControlPlane): void {
  settings.onChange((_current, applied) => {
    if (applied.includes('allow_unrestricted_keys')) control.rebuild();
  });
}
