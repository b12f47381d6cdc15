import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';

import { Database } from '../../persistence/index.js';
import { LIVENESS_REDIS } from '../../platform/index.js';
import { CircuitAnnouncer, PropagationModule } from '../propagation/index.js';
import { CircuitStore } from './adapters/circuit.store.js';
import { RedisCircuitStatistics } from './adapters/redis-circuit-statistics.js';
import { CircuitsController } from './circuits.controller.js';
import { LegacySlotsController } from './legacy-slots.controller.js';
import { RemoveCircuitsService } from './remove-circuits.service.js';
import { WorkerCircuitsController } from './worker-circuits.controller.js';

@Module({
  imports: [PropagationModule],
  controllers: [WorkerCircuitsController, CircuitsController, LegacySlotsController],
  providers: [
    {
      provide: CircuitStore,
      inject: [Database],
      useFactory: (database: Database) => new CircuitStore(database),
    },
    {
      provide: RedisCircuitStatistics,
      inject: [LIVENESS_REDIS],
      useFactory: (redis: Redis) => new RedisCircuitStatistics(redis),
    },
    {
      provide: RemoveCircuitsService,
      inject: [CircuitStore, CircuitAnnouncer],
      useFactory: (store: CircuitStore, announcer: CircuitAnnouncer) =>
        new RemoveCircuitsService(store, announcer),
    },
  ],
})
export class CircuitsModule {}
