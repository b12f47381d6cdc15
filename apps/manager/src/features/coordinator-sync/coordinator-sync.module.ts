import { type DynamicModule, Global, Module } from '@nestjs/common';

import { COORDINATOR_CLIENT, type CoordinatorClient } from './coordinator-client.port.js';
import { FreeNamesService } from './free-names.service.js';
import { SendEntityService } from './send-entity.service.js';
import { StateReader } from './state-reader.js';

/** Everything that knows the coordinator's wire. */
@Global()
@Module({})
export class CoordinatorSyncModule {
  static with(client: CoordinatorClient): DynamicModule {
    return {
      module: CoordinatorSyncModule,
      providers: [
        StateReader,
        FreeNamesService,
        SendEntityService,
        { provide: COORDINATOR_CLIENT, useValue: client },
      ],
      exports: [SendEntityService, COORDINATOR_CLIENT],
    };
  }
}
