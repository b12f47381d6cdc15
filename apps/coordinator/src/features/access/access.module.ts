import { Global, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { COORDINATOR_CONFIG } from '../../platform/index.js';
import { ApiSecretGuard } from './api-secret.guard.js';
import { TokenSigner } from './token-signer.js';

@Global()
@Module({
  providers: [
    {
      provide: APP_GUARD,
      inject: [Reflector, COORDINATOR_CONFIG],
      useFactory: (reflector: Reflector, config: CoordinatorConfig) =>
        new ApiSecretGuard(reflector, config.api_secret),
    },
    {
      provide: TokenSigner,
      inject: [COORDINATOR_CONFIG],
      useFactory: (config: CoordinatorConfig) => new TokenSigner(config.jwt_secret),
    },
  ],
  exports: [TokenSigner],
})
export class AccessModule {}
