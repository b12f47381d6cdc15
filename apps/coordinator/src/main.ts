import { fileURLToPath } from 'node:url';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfigOrExit, reloadConfig } from '@penstock/config';
import { migrate } from '@penstock/database';
import { createLogger, createMetrics } from '@penstock/observability';
import { HealthRegistry, runService } from '@penstock/service-kit';

import { coordinatorConfigSchema } from './config/coordinator.config.js';
import { createCoordinator } from './create-coordinator.js';

const SERVICE = 'coordinator';
const MIGRATE_ONLY = '--migrate-only';

const { value: config, source } = loadConfigOrExit({ service: SERVICE, schema: coordinatorConfigSchema });
const logger = createLogger({ service: SERVICE, level: config.log_level });
let app: NestFastifyApplication | undefined;

process.on('SIGHUP', () => reloadConfig(source, config, logger));
await runService({ start, stop, logger, shutdownTimeoutMs: config.shutdown_timeout_ms });

async function start(): Promise<void> {
  await migrate({
    url: config.database_url,
    schemaPath: pathOf('../prisma/schema.prisma'),
    migrationsDir: pathOf('../prisma/migrations'),
    logger,
  });
  if (process.argv.includes(MIGRATE_ONLY)) return process.exit(0);
  app = await createCoordinator({ config, logger, metrics: createMetrics({ service: SERVICE }) });
  await app.listen(config.port, config.host);
  logger.info({ url: await app.getUrl() }, 'coordinator listening');
}

/** Not ready first, so that balancers look elsewhere while running requests end. */
async function stop(): Promise<void> {
  app?.get(HealthRegistry, { strict: false }).startDraining();
  await app?.close();
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
