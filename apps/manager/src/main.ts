import { fileURLToPath } from 'node:url';

import { loadConfigOrExit, reloadConfig } from '@penstock/config';
import { migrate } from '@penstock/database';
import { createLogger } from '@penstock/observability';
import { runService } from '@penstock/service-kit';

import { managerConfigSchema } from './config/manager.config.js';
import { type RunningManager, startManager } from './start-manager.js';

const SERVICE = 'manager';
const MIGRATE_ONLY = '--migrate-only';

const { value: config, source } = loadConfigOrExit({ service: SERVICE, schema: managerConfigSchema });
const logger = createLogger({ service: SERVICE, level: config.log_level });
let manager: RunningManager | null = null;

process.on('SIGHUP', () => reloadConfig(source, config, logger));
await runService({
  start,
  stop: async () => manager?.stop(),
  logger,
  shutdownTimeoutMs: config.shutdown_timeout_ms,
});

async function start(): Promise<void> {
  await migrate({
    url: config.database_url,
    schemaPath: pathOf('../prisma/schema.prisma'),
    migrationsDir: pathOf('../prisma/migrations'),
    logger,
  });
  if (process.argv.includes(MIGRATE_ONLY)) return process.exit(0);
  manager = await startManager(config, logger);
  logger.info({ url: manager.url }, 'manager is listening');
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
