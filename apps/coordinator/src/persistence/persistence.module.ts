import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createPrismaAdapter } from '@penstock/database';
import type { Logger } from '@penstock/observability';

import type { CoordinatorConfig } from '../config/coordinator.config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { COORDINATOR_CONFIG, LOGGER } from '../platform/tokens.js';
import { Database } from './database.js';

/** One pool per process. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [COORDINATOR_CONFIG, LOGGER],
      useFactory: (config: CoordinatorConfig, logger: Logger) =>
        new Database(createClient(config, logger), logger),
    },
  ],
  exports: [Database],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

function createClient(config: CoordinatorConfig, logger: Logger): PrismaClient {
  const adapter = createPrismaAdapter(config.database_url, {
    poolSize: config.database_pool_size,
    statementTimeoutMs: 5_000,
    connectTimeoutMs: 7_000,
    onPoolError: (error) => logger.warn({ err: error }, 'database connection lost'),
  });
  // The default error format quotes the arguments of the failed call, hashes among them.
  return new PrismaClient({ adapter, errorFormat: 'minimal' });
}
