import { Global, Module, type DynamicModule, type OnApplicationShutdown, Inject } from '@nestjs/common';
import { createEventBus, type EventBus } from '@penstock/event-bus';
import type { Logger, Metrics } from '@penstock/observability';
import { EVENT_SOURCES } from '@penstock/protocol';
import type { Redis } from 'ioredis';

import type { CoordinatorConfig } from '../config/coordinator.config.js';
import { createLivenessRedis } from './liveness-redis.js';
import { COORDINATOR_CONFIG, EVENT_BUS, LIVENESS_REDIS, LOGGER, METRICS } from './tokens.js';

/** What exists before the application does. */
export interface Platform {
  readonly config: CoordinatorConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Connections that outlive every feature; closed last. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(LIVENESS_REDIS) private readonly redis: Redis,
  ) {}

  static with({ config, logger, metrics }: Platform): DynamicModule {
    return {
      module: PlatformModule,
      providers: [
        { provide: COORDINATOR_CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        { provide: METRICS, useValue: metrics },
        { provide: EVENT_BUS, useFactory: () => createBus(config, logger) },
        { provide: LIVENESS_REDIS, useFactory: () => createLivenessRedis(config.redis_url, logger) },
      ],
      exports: [COORDINATOR_CONFIG, LOGGER, METRICS, EVENT_BUS, LIVENESS_REDIS],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
    this.redis.disconnect();
  }
}

function createBus(config: CoordinatorConfig, logger: Logger): EventBus {
  return createEventBus({
    redisUrl: config.redis_url,
    source: EVENT_SOURCES.coordinator,
    envelopeMode: config.envelope_mode,
    logger,
  });
}
