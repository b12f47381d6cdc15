import { Module } from '@nestjs/common';
import type { EventBus } from '@penstock/event-bus';
import type { Metrics } from '@penstock/observability';
import { HealthRegistry } from '@penstock/service-kit';
import type { Redis } from 'ioredis';

import { Database } from '../../persistence/index.js';
import { EVENT_BUS, LIVENESS_REDIS, METRICS } from '../../platform/index.js';
import { AssessLivenessService, LivenessModule } from '../liveness/index.js';
import { WorkersModule, WorkerStore } from '../workers/index.js';
import { DependencyHealth } from './dependency-health.js';
import { FleetMetrics } from './fleet-metrics.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { StatusController } from './status.controller.js';

@Module({
  imports: [WorkersModule, LivenessModule],
  controllers: [StatusController, HealthController, MetricsController],
  providers: [
    { provide: HealthRegistry, inject: [Database], useFactory: createRegistry },
    {
      provide: DependencyHealth,
      inject: [Database, LIVENESS_REDIS, EVENT_BUS],
      useFactory: (database: Database, redis: Redis, bus: EventBus) =>
        new DependencyHealth(database, redis, bus),
    },
    {
      provide: FleetMetrics,
      inject: [METRICS, Database, WorkerStore, AssessLivenessService, EVENT_BUS],
      useFactory: (
        metrics: Metrics,
        database: Database,
        workers: WorkerStore,
        liveness: AssessLivenessService,
        bus: EventBus,
      ) => new FleetMetrics(metrics, { database, workers, liveness, bus }),
    },
  ],
})
export class HealthModule {}

function createRegistry(database: Database): HealthRegistry {
  const registry = new HealthRegistry();
  registry.addReadiness('database', async () => {
    if (!(await database.answers())) throw new Error('not reachable');
  });
  return registry;
}
