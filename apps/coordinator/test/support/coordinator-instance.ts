import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, createMetrics } from '@penstock/observability';

import { coordinatorConfigSchema } from '../../src/config/coordinator.config.js';
import { createCoordinator } from '../../src/create-coordinator.js';
import { API_SECRET, CoordinatorClient } from './coordinator-client.js';

export { API_SECRET, type Call } from './coordinator-client.js';

export interface CoordinatorSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Takes log lines, at a level that `overrides` may set. Default: nothing is logged. */
  readonly log?: { write(line: string): void };
}

/** A coordinator in this process. */
export class CoordinatorInstance extends CoordinatorClient {
  private constructor(
    private readonly app: NestFastifyApplication,
    url: string,
  ) {
    super(url);
  }

  static async start({
    databaseUrl,
    redisUrl,
    overrides,
    log,
  }: CoordinatorSettings): Promise<CoordinatorInstance> {
    const config = coordinatorConfigSchema.parse({
      port: 0,
      database_url: databaseUrl,
      redis_url: redisUrl,
      api_secret: API_SECRET,
      ack_timeout_ms: 1_500,
      log_level: log ? 'info' : 'silent',
      ...overrides,
    });
    const logger = createLogger({
      service: 'coordinator',
      level: config.log_level,
      ...(log && { destination: log }),
    });
    const metrics = createMetrics({ service: 'coordinator', processMetrics: false });
    const app = await createCoordinator({ config, logger, metrics });
    await app.listen(0, config.host);
    return new CoordinatorInstance(app, await app.getUrl());
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}
