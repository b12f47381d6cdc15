import { createPrismaAdapter } from '@penstock/database';
import { createMetrics, type Logger } from '@penstock/observability';
import { createHttpService, HealthRegistry } from '@penstock/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { AppModule } from './app.module.js';
import type { ManagerConfig } from './config/manager.config.js';
import { bootstrapAdmin } from './features/access/index.js';
import { serveApiDocs } from './features/api-docs/index.js';
import { CoordinatorHttp, UndiciCoordinatorClient } from './features/coordinator-sync/index.js';
import { DnsHostResolver } from './features/deployments/index.js';
import { Database } from './features/storage/index.js';
import {
  type BindingsOptions,
  FileEnvironmentSink,
  TokenCipher,
} from './features/upstream-bindings/index.js';
import { PrismaClient } from './generated/prisma/client.js';
import { createManagerMetrics } from './telemetry.js';

/** A manager that listens. */
export interface RunningManager {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** Not ready at once; then running requests finish, then everything is closed. */
  stop(): Promise<void>;
}

/** Builds the service from its configuration and listens. The database must be migrated. */
export async function startManager(config: ManagerConfig, logger: Logger): Promise<RunningManager> {
  const metrics = createMetrics({ service: 'manager' });
  const health = new HealthRegistry();
  const database = openDatabase(config, logger);
  const http = new CoordinatorHttp({ url: config.coordinator.url, apiSecret: config.coordinator.api_secret });
  const module = AppModule.with({
    logger,
    metrics: createManagerMetrics(metrics),
    database,
    coordinator: new UndiciCoordinatorClient(http),
    resolver: new DnsHostResolver(),
    defaultAuthority: config.coordinator.authority,
    replicaNetworks: config.replica_networks,
    reconcile: {
      intervalMs: config.reconcile_interval_ms,
      routeRepeatIntervalMs: config.route_repeat_interval_ms,
    },
    tokenLifetimes: {
      defaultSeconds: config.deployment_tokens.default_lifetime_s,
      maxSeconds: config.deployment_tokens.max_lifetime_s,
    },
    bindings: bindingsOptions(config),
    retention: {
      auditDays: config.retention.audit_days ?? null,
      tombstoneDays: config.retention.tombstone_days,
      expiredTokenDays: config.retention.expired_token_days,
    },
  });
  await bootstrapAdmin(
    database,
    { adminToken: config.admin_token ?? null, outputFile: config.admin_token_output_file ?? null },
    logger,
  );
  // Ready means able to take changes. The coordinator may be away: changes then wait in the outbox.
  health.addReadiness('database', () => database.read((db) => db.$queryRaw`SELECT 1`));
  const app = await createHttpService(module, {
    logger,
    metrics,
    errors: 'problem',
    bodyLimitBytes: config.body_limit_bytes,
    probes: { health, metricsPath: '/metrics' },
  });
  serveApiDocs(app);
  await app.listen(config.port, config.host);
  return { app, url: await app.getUrl(), stop: () => stop(app, http, health) };
}

function bindingsOptions(config: ManagerConfig): BindingsOptions {
  const { encryption_key, previous_encryption_key, service_environment, upstream_token } = config;
  const previous = previous_encryption_key === undefined ? [] : [previous_encryption_key];
  return {
    cipher: encryption_key === undefined ? null : new TokenCipher(encryption_key, ...previous),
    sink: service_environment === undefined ? null : new FileEnvironmentSink(service_environment.directory),
    checkIntervalMs: upstream_token.rotation_check_interval_ms,
  };
}

function openDatabase(config: ManagerConfig, logger: Logger): Database {
  const adapter = createPrismaAdapter(config.database_url, {
    poolSize: config.database_pool_size,
    statementTimeoutMs: config.database_timeout_ms,
    connectTimeoutMs: config.database_timeout_ms,
    onPoolError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
  const limits = { deadlineMs: config.database_timeout_ms };
  return new Database(new PrismaClient({ adapter }), limits, logger);
}

async function stop(
  app: NestFastifyApplication,
  http: CoordinatorHttp,
  health: HealthRegistry,
): Promise<void> {
  health.startDraining();
  await app.close();
  await http.close();
}
