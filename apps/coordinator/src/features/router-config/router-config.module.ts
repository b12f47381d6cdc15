import { Module } from '@nestjs/common';

import { Database } from '../../persistence/index.js';
import { PullRouterConfigService } from './pull-router-config.service.js';
import { RouterConfigController } from './router-config.controller.js';

@Module({
  controllers: [RouterConfigController],
  providers: [
    {
      provide: PullRouterConfigService,
      inject: [Database],
      useFactory: (database: Database) => new PullRouterConfigService(database),
    },
  ],
})
export class RouterConfigModule {}
