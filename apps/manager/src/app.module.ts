import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { DEFAULT_AUTHORITY } from './default-authority.js';
import { AccessModule } from './features/access/index.js';
import { AuditModule } from './features/audit/index.js';
import { ChangeModule } from './features/changes/index.js';
import { type CoordinatorClient, CoordinatorSyncModule } from './features/coordinator-sync/index.js';
import { DeploymentsModule, type HostResolver } from './features/deployments/index.js';
import { DeploymentTokensModule, type TokenLifetimes } from './features/deployment-tokens/index.js';
import { DomainsModule } from './features/domains/index.js';
import { IdempotencyModule } from './features/idempotency/index.js';
import { ModelApiKeysModule } from './features/model-api-keys/index.js';
import { OutboxModule } from './features/outbox/index.js';
import { ProjectsModule } from './features/projects/index.js';
import { PublicationsModule } from './features/publications/index.js';
import { ReconcileModule, type ReconcileOptions } from './features/reconcile/index.js';
import { type Retention, RetentionModule } from './features/retention/index.js';
import { RoutersModule } from './features/routers/index.js';
import { type Database, StorageModule } from './features/storage/index.js';
import { type BindingsOptions, UpstreamBindingsModule } from './features/upstream-bindings/index.js';
import { UsersModule } from './features/users/index.js';
import { LOGGER, type ManagerMetrics, METRICS } from './telemetry.js';

/** What the composition root is given from outside; a test gives its own. */
export interface ManagerParts {
  readonly logger: Logger;
  readonly metrics: ManagerMetrics;
  readonly database: Database;
  readonly coordinator: CoordinatorClient;
  readonly resolver: HostResolver;
  readonly defaultAuthority: string;
  readonly replicaNetworks: readonly string[];
  readonly reconcile: ReconcileOptions;
  readonly tokenLifetimes: TokenLifetimes;
  readonly bindings: BindingsOptions;
  readonly retention: Retention;
}

@Global()
@Module({})
class SettingsModule {
  static with({ logger, metrics, defaultAuthority }: ManagerParts): DynamicModule {
    return {
      module: SettingsModule,
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: METRICS, useValue: metrics },
        { provide: DEFAULT_AUTHORITY, useValue: defaultAuthority },
      ],
      exports: [LOGGER, METRICS, DEFAULT_AUTHORITY],
    };
  }
}

@Module({})
export class AppModule {
  static with(parts: ManagerParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(parts),
        StorageModule.with(parts.database),
        AccessModule,
        IdempotencyModule,
        CoordinatorSyncModule.with(parts.coordinator),
        OutboxModule,
        ChangeModule,
        AuditModule,
        DomainsModule,
        ProjectsModule,
        UsersModule,
        DeploymentsModule.with({ replicaNetworks: parts.replicaNetworks, resolver: parts.resolver }),
        DeploymentTokensModule.with(parts.tokenLifetimes),
        UpstreamBindingsModule.with(parts.bindings),
        PublicationsModule,
        ModelApiKeysModule,
        RoutersModule,
        RetentionModule.with(parts.retention),
        ReconcileModule.with(parts.reconcile),
      ],
    };
  }
}
