import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { Database } from '../../persistence/index.js';
import { COORDINATOR_CONFIG, LOGGER } from '../../platform/index.js';
import {
  AssessLivenessService,
  LivenessModule,
  NODE_LIVENESS,
  PostgresNodeWitness,
  type NodeLiveness,
} from '../liveness/index.js';
import { WorkerStore } from './adapters/worker.store.js';
import { DeregisterWorkerService } from './deregister-worker.service.js';
import { DescribeWorkersService } from './describe-workers.service.js';
import { KeepWorkerAliveService } from './keep-worker-alive.service.js';
import { LostWorkerScheduler } from './lost-worker.scheduler.js';
import { RegisterWorkerService } from './register-worker.service.js';
import { SlotsController } from './slots.controller.js';
import { LegacyReadOutsController } from './legacy-read-outs.controller.js';
import { WorkersController } from './workers.controller.js';

@Module({
  imports: [LivenessModule],
  controllers: [WorkersController, SlotsController, LegacyReadOutsController],
  providers: [
    {
      provide: WorkerStore,
      inject: [Database],
      useFactory: (database: Database) => new WorkerStore(database),
    },
    {
      provide: DescribeWorkersService,
      inject: [WorkerStore, AssessLivenessService],
      useFactory: (store: WorkerStore, liveness: AssessLivenessService) =>
        new DescribeWorkersService(store, liveness, Date.now),
    },
    {
      provide: RegisterWorkerService,
      inject: [WorkerStore, NODE_LIVENESS, PostgresNodeWitness, DescribeWorkersService, LOGGER],
      useFactory: (
        store: WorkerStore,
        liveness: NodeLiveness,
        witness: PostgresNodeWitness,
        workers: DescribeWorkersService,
        logger: Logger,
      ) => new RegisterWorkerService(store, liveness, witness, workers, logger),
    },
    {
      provide: KeepWorkerAliveService,
      inject: [WorkerStore, NODE_LIVENESS, PostgresNodeWitness, DescribeWorkersService, LOGGER],
      useFactory: (
        store: WorkerStore,
        liveness: NodeLiveness,
        witness: PostgresNodeWitness,
        workers: DescribeWorkersService,
        logger: Logger,
      ) => new KeepWorkerAliveService(store, liveness, witness, workers, logger),
    },
    {
      provide: DeregisterWorkerService,
      inject: [WorkerStore, NODE_LIVENESS, PostgresNodeWitness, AssessLivenessService, LOGGER],
      useFactory: (
        store: WorkerStore,
        liveness: NodeLiveness,
        witness: PostgresNodeWitness,
        assessment: AssessLivenessService,
        logger: Logger,
      ) => new DeregisterWorkerService(store, liveness, witness, assessment, logger),
    },
    {
      provide: LostWorkerScheduler,
      inject: [WorkerStore, AssessLivenessService, PostgresNodeWitness, LOGGER, COORDINATOR_CONFIG],
      useFactory: (
        store: WorkerStore,
        assessment: AssessLivenessService,
        witness: PostgresNodeWitness,
        logger: Logger,
        config: CoordinatorConfig,
      ) => new LostWorkerScheduler(store, assessment, witness, logger, config.liveness_sweep_interval_ms),
    },
  ],
  exports: [WorkerStore, DescribeWorkersService],
})
export class WorkersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(LostWorkerScheduler) private readonly scheduler: LostWorkerScheduler) {}

  onApplicationBootstrap(): void {
    this.scheduler.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.scheduler.stop();
  }
}
