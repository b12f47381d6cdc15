import { Module } from '@nestjs/common';

import { Database } from '../../persistence/index.js';
import { CircuitAnnouncer, PropagationModule } from '../propagation/index.js';
import { EndpointStore } from './adapters/endpoint.store.js';
import { RouteStore } from './adapters/route.store.js';
import { ChangeRoutesService } from './change-routes.service.js';
import { CreateEndpointsService } from './create-endpoints.service.js';
import { EndpointRoutesController } from './endpoint-routes.controller.js';
import { EndpointsController } from './endpoints.controller.js';
import { RemoveEndpointsService } from './remove-endpoints.service.js';

@Module({
  imports: [PropagationModule],
  controllers: [EndpointRoutesController, EndpointsController],
  providers: [
    {
      provide: EndpointStore,
      inject: [Database],
      useFactory: (database: Database) => new EndpointStore(database),
    },
    {
      provide: CreateEndpointsService,
      inject: [EndpointStore, CircuitAnnouncer],
      useFactory: (store: EndpointStore, announcer: CircuitAnnouncer) =>
        new CreateEndpointsService(store, announcer),
    },
    {
      provide: RemoveEndpointsService,
      inject: [EndpointStore, CircuitAnnouncer],
      useFactory: (store: EndpointStore, announcer: CircuitAnnouncer) =>
        new RemoveEndpointsService(store, announcer),
    },
    {
      provide: ChangeRoutesService,
      inject: [Database, CircuitAnnouncer],
      useFactory: (database: Database, announcer: CircuitAnnouncer) =>
        new ChangeRoutesService(new RouteStore(database), announcer),
    },
  ],
})
export class EndpointsModule {}
