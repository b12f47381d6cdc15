import { Module, type DynamicModule } from '@nestjs/common';

import { AccessModule } from './features/access/index.js';
import { ApiKeysModule } from './features/api-keys/index.js';
import { CircuitsModule } from './features/circuits/index.js';
import { EndpointTokensModule } from './features/endpoint-tokens/index.js';
import { EndpointsModule } from './features/endpoints/index.js';
import { HealthModule } from './features/health/index.js';
import { InteractiveModule } from './features/interactive/index.js';
import { LineageModule } from './features/lineage/index.js';
import { PublicationsModule } from './features/publications/index.js';
import { RouterConfigModule } from './features/router-config/index.js';
import { WorkersModule } from './features/workers/index.js';
import { PersistenceModule } from './persistence/index.js';
import { PlatformModule, type Platform } from './platform/index.js';

/** The composition root. */
@Module({})
export class AppModule {
  static with(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(platform),
        PersistenceModule,
        AccessModule,
        WorkersModule,
        CircuitsModule,
        RouterConfigModule,
        EndpointsModule,
        EndpointTokensModule,
        LineageModule,
        InteractiveModule,
        PublicationsModule,
        ApiKeysModule,
        HealthModule,
      ],
    };
  }
}
