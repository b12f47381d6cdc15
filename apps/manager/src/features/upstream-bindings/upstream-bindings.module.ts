import { type DynamicModule, Global, Module } from '@nestjs/common';

import { type BindingsOptions, ROTATION_CHECK_INTERVAL_MS, TOKEN_CIPHER } from './bindings-options.js';
import { BindingsStore } from './bindings.store.js';
import { DeliverEnvironmentService } from './deliver-environment.service.js';
import { LineageService } from './lineage.service.js';
import { RenewStaleTokensService } from './renew-stale-tokens.service.js';
import { RotateTokenService } from './rotate-token.service.js';
import { RotationScheduler } from './rotation.scheduler.js';
import { SERVICE_ENVIRONMENT_SINK } from './service-environment-sink.port.js';
import { ServiceEnvironmentService } from './service-environment.service.js';
import { UpstreamsController } from './upstreams.controller.js';
import { UpstreamsService } from './upstreams.service.js';

@Global()
@Module({})
export class UpstreamBindingsModule {
  static with({ cipher, sink, checkIntervalMs }: BindingsOptions): DynamicModule {
    return {
      module: UpstreamBindingsModule,
      controllers: [UpstreamsController],
      providers: [
        BindingsStore,
        DeliverEnvironmentService,
        LineageService,
        RenewStaleTokensService,
        RotateTokenService,
        RotationScheduler,
        ServiceEnvironmentService,
        UpstreamsService,
        { provide: TOKEN_CIPHER, useValue: cipher },
        { provide: SERVICE_ENVIRONMENT_SINK, useValue: sink },
        { provide: ROTATION_CHECK_INTERVAL_MS, useValue: checkIntervalMs },
      ],
      exports: [RenewStaleTokensService, UpstreamsService],
    };
  }
}
