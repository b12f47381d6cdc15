import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpService } from '@penstock/service-kit';

import { AppModule } from './app.module.js';
import type { Platform } from './platform/index.js';

/** The whole coordinator, not listening yet; the database must have its schema. */
export function createCoordinator(platform: Platform): Promise<NestFastifyApplication> {
  const { config, logger, metrics } = platform;
  return createHttpService(AppModule.with(platform), {
    logger,
    metrics,
    errors: 'appproxy',
    bodyLimitBytes: config.body_limit_bytes,
  });
}
