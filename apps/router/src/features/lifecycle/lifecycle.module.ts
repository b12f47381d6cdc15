import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import type { RouterConfig } from '../../config/router.config.js';
import { PROCESS_CONTEXT, type ProcessContext } from '../../process-context.js';
import { adminRoutes, AdminServer, type NodeFacts } from '../admin/index.js';
import { ControlModule, ControlPlane } from '../control/index.js';
import { createDataPlane, type DataPlane } from '../ingress/index.js';
import { SnapshotModule, SnapshotStore } from '../snapshot/index.js';
import { RedisCircuitStatistics } from '../statistics/index.js';
import { dataPlaneSettings } from './data-plane-settings.js';
import { registrationOf } from './registration-facts.js';
import { RouterLifecycle, type ListenAddresses } from './router-lifecycle.service.js';

const DATA_PLANE = Symbol('DataPlane');
const STATISTICS = Symbol('CircuitStatistics');

@Module({
  imports: [SnapshotModule, ControlModule],
  providers: [
    { provide: STATISTICS, inject: [PROCESS_CONTEXT], useFactory: createStatistics },
    {
      provide: DATA_PLANE,
      inject: [PROCESS_CONTEXT, SnapshotStore, STATISTICS],
      useFactory: createReloadingDataPlane,
    },
    {
      provide: RouterLifecycle,
      inject: [PROCESS_CONTEXT, SnapshotStore, ControlPlane, DATA_PLANE, STATISTICS],
      useFactory: createLifecycle,
    },
  ],
  exports: [RouterLifecycle],
})
export class LifecycleModule {}

function createStatistics({ settings, logger, metrics }: ProcessContext): RedisCircuitStatistics {
  return new RedisCircuitStatistics({ redisUrl: settings.current.redis_url, logger, metrics });
}

function createReloadingDataPlane(
  context: ProcessContext,
  snapshots: SnapshotStore,
  statistics: RedisCircuitStatistics,
): DataPlane {
  const { settings, logger, metrics } = context;
  const dataPlane = createDataPlane({
    snapshots,
    settings: dataPlaneSettings(settings.current),
    logger,
    metrics,
    statistics,
  });
  settings.onChange((current) => dataPlane.reconfigure(dataPlaneSettings(current)));
  return dataPlane;
}

function createLifecycle(
  context: ProcessContext,
  snapshots: SnapshotStore,
  control: ControlPlane,
  dataPlane: DataPlane,
  statistics: RedisCircuitStatistics,
): RouterLifecycle {
  const { settings, logger, metrics, slot } = context;
  const routes = adminRoutes({ facts: nodeFacts(context), view: () => lifecycle.view(), metrics });
  const lifecycle = new RouterLifecycle({
    addresses: listenAddresses(settings.current, context.workerIndex),
    admin: new AdminServer(routes, (error) => logger.error({ err: error }, 'admin listener failed')),
    dataPlane,
    control,
    statistics,
    snapshots,
    slot,
    logger,
    drain: () => ({
      readinessLeadMs: settings.current.drain_readiness_lead_ms,
      timeoutMs: settings.current.drain_timeout_ms,
    }),
    registration: (bound) => registrationOf(context, bound),
    sleep,
  });
  return lifecycle;
}

/** The processes of an instance share its public and internal port; each has an admin port of its own. */
function listenAddresses(config: RouterConfig, workerIndex: number): ListenAddresses {
  const { host, port } = config.admin;
  return {
    public: config.public,
    internal: config.internal,
    admin: { host, port: port === 0 ? 0 : port + workerIndex },
  };
}

function nodeFacts({ settings, nodeId, slot, version }: ProcessContext): NodeFacts {
  const { instance, authority, mode } = settings.current;
  return { nodeId, slot: slot.name, instance, authority, version, mode };
}
