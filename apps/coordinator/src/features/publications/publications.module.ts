import { Module } from '@nestjs/common';

import { Database } from '../../persistence/index.js';
import { AnnounceChangeService, PropagationModule } from '../propagation/index.js';
import { PublicationStore } from './adapters/publication.store.js';
import { ChangePublicationService } from './change-publication.service.js';
import { PublicationsController } from './publications.controller.js';

@Module({
  imports: [PropagationModule],
  controllers: [PublicationsController],
  providers: [
    {
      provide: ChangePublicationService,
      inject: [Database, AnnounceChangeService],
      useFactory: (database: Database, announcer: AnnounceChangeService) =>
        new ChangePublicationService(new PublicationStore(database), announcer),
    },
  ],
})
export class PublicationsModule {}
