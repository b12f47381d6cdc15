import { fileURLToPath } from 'node:url';

import { loadConfigOrExit } from '@penstock/config';
import { migrate } from '@penstock/database';
import { createLogger } from '@penstock/observability';
import { runService } from '@penstock/service-kit';

import { managerConfigSchema } from './config/manager.config.js';
import { type RunningManager, startManager } from './manager.service.js';

const MIGRATE_ONLY = '--migrate-only';

const { value: config } = loadConfigOrExit({ service: 'manager', schema: managerConfigSchema });
const logger = createLogger({ service: 'manager', level: config.log_level });
let manager: RunningManager | null = null;

async function start(): Promise<void> {
  await migrateDatabase();
  manager = await startManager(config, logger);
  logger.info({ url: manager.url }, 'manager is listening');
}

async function migrateDatabase(): Promise<void> {
  await migrate({
    url: config.database_url,
    schemaPath: fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url)),
    migrationsDir: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
    logger,
  });
}

if (process.argv.includes(MIGRATE_ONLY)) {
  await migrateDatabase();
} else {
  await runService({
    start,
    stop: async () => manager?.stop(),
    logger,
    shutdownTimeoutMs: config.shutdown_timeout_ms,
  });
}
