import { type DynamicModule, Global, Module } from '@nestjs/common';

import { DeploymentTokensController } from './deployment-tokens.controller.js';
import { DeploymentTokensService } from './deployment-tokens.service.js';
import { MintTokenService } from './mint-token.service.js';
import { TOKEN_LIFETIMES, type TokenLifetimes } from './token-lifetimes.js';

@Global()
@Module({})
export class DeploymentTokensModule {
  static with(lifetimes: TokenLifetimes): DynamicModule {
    return {
      module: DeploymentTokensModule,
      controllers: [DeploymentTokensController],
      providers: [
        DeploymentTokensService,
        MintTokenService,
        { provide: TOKEN_LIFETIMES, useValue: lifetimes },
      ],
      exports: [MintTokenService],
    };
  }
}
