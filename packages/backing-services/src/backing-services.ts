import type { BackingService } from './backing-service.port.js';
import { postgresService } from './postgres/postgres.service.js';
import { redisService } from './redis/redis.service.js';

/** All backing services, in the order in which they are started. */
export const BACKING_SERVICES = {
  postgres: postgresService,
  redis: redisService,
} as const satisfies Record<string, BackingService>;

export type BackingServiceName = keyof typeof BACKING_SERVICES;
