import { Module } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import type { Redis } from 'ioredis';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { Database } from '../../persistence/index.js';
import { COORDINATOR_CONFIG, LIVENESS_REDIS, LOGGER } from '../../platform/index.js';
import { PostgresNodeWitness } from './adapters/postgres-node-witness.js';
import { RedisNodeLiveness } from './adapters/redis-node-liveness.js';
import { AssessLivenessService } from './assess-liveness.service.js';
import { NODE_LIVENESS, type NodeLiveness } from './node-liveness.port.js';

const ttlSeconds = (config: CoordinatorConfig) => config.worker_heartbeat_timeout_ms / 1000;

@Module({
  providers: [
    {
      provide: NODE_LIVENESS,
      inject: [LIVENESS_REDIS, COORDINATOR_CONFIG, LOGGER],
      useFactory: (redis: Redis, config: CoordinatorConfig, logger: Logger) =>
        new RedisNodeLiveness(redis, ttlSeconds(config), logger),
    },
    {
      provide: PostgresNodeWitness,
      inject: [Database, COORDINATOR_CONFIG],
      useFactory: (database: Database, config: CoordinatorConfig) =>
        new PostgresNodeWitness(database, ttlSeconds(config)),
    },
    {
      provide: AssessLivenessService,
      inject: [NODE_LIVENESS, PostgresNodeWitness, COORDINATOR_CONFIG],
      useFactory: (liveness: NodeLiveness, witness: PostgresNodeWitness, config: CoordinatorConfig) =>
        new AssessLivenessService(liveness, witness, ttlSeconds(config)),
    },
  ],
  exports: [NODE_LIVENESS, PostgresNodeWitness, AssessLivenessService],
})
export class LivenessModule {}
