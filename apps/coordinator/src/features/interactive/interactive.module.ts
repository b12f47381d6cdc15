import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import type { Redis } from 'ioredis';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { Database } from '../../persistence/index.js';
import { COORDINATOR_CONFIG, LIVENESS_REDIS, LOGGER } from '../../platform/index.js';
import { TokenSigner } from '../access/index.js';
import { RedisCircuitStatistics } from '../circuits/index.js';
import { CircuitAnnouncer, PropagationModule } from '../propagation/index.js';
import { AppCircuitStore } from './adapters/app-circuit.store.js';
import { TokenStore } from './adapters/token.store.js';
import { UnusedCircuitStore } from './adapters/unused-circuit.store.js';
import { CollectUnusedService } from './collect-unused.service.js';
import { ConfigureController } from './configure.controller.js';
import { IdleCircuits } from './domain/idle-circuits.js';
import { OpenAppController } from './open-app.controller.js';
import { OpenAppService } from './open-app.service.js';
import { UnusedCircuitScheduler } from './unused-circuit.scheduler.js';
import { WorkerTokenController } from './worker-token.controller.js';

@Module({
  imports: [PropagationModule],
  controllers: [ConfigureController, OpenAppController, WorkerTokenController],
  providers: [
    {
      provide: TokenStore,
      inject: [Database],
      useFactory: (database: Database) => new TokenStore(database),
    },
    {
      provide: OpenAppService,
      inject: [TokenStore, Database, CircuitAnnouncer, TokenSigner],
      useFactory: (
        tokens: TokenStore,
        database: Database,
        announcer: CircuitAnnouncer,
        signer: TokenSigner,
      ) => new OpenAppService(tokens, new AppCircuitStore(database), announcer, signer),
    },
    {
      provide: UnusedCircuitScheduler,
      inject: [Database, LIVENESS_REDIS, CircuitAnnouncer, LOGGER, COORDINATOR_CONFIG],
      useFactory: (
        database: Database,
        redis: Redis,
        announcer: CircuitAnnouncer,
        logger: Logger,
        config: CoordinatorConfig,
      ) =>
        new UnusedCircuitScheduler(
          new CollectUnusedService(
            new UnusedCircuitStore(database),
            new RedisCircuitStatistics(redis),
            new IdleCircuits(config.unused_circuit_collection_timeout_ms),
            announcer,
          ),
          logger,
          config.unused_circuit_sweep_interval_ms,
        ),
    },
  ],
})
export class InteractiveModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(UnusedCircuitScheduler) private readonly scheduler: UnusedCircuitScheduler) {}

  onApplicationBootstrap(): void {
    this.scheduler.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.scheduler.stop();
  }
}
