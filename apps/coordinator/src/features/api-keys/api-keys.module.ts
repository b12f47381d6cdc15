import { Module } from '@nestjs/common';

import { Database } from '../../persistence/index.js';
import { AnnounceChangeService, PropagationModule } from '../propagation/index.js';
import { ApiKeyStore } from './adapters/api-key.store.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ChangeApiKeyService } from './change-api-key.service.js';

@Module({
  imports: [PropagationModule],
  controllers: [ApiKeysController],
  providers: [
    {
      provide: ChangeApiKeyService,
      inject: [Database, AnnounceChangeService],
      useFactory: (database: Database, announcer: AnnounceChangeService) =>
        new ChangeApiKeyService(new ApiKeyStore(database), announcer),
    },
  ],
})
export class ApiKeysModule {}
