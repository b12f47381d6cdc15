import { Module } from '@nestjs/common';

import { Database } from '../../persistence/index.js';
import { TokenSigner } from '../access/index.js';
import { EndpointTokensController } from './endpoint-tokens.controller.js';
import { MintTokenService } from './mint-token.service.js';

@Module({
  controllers: [EndpointTokensController],
  providers: [
    {
      provide: MintTokenService,
      inject: [Database, TokenSigner],
      useFactory: (database: Database, signer: TokenSigner) => new MintTokenService(database, signer),
    },
  ],
})
export class EndpointTokensModule {}
