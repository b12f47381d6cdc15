import { type DynamicModule, Global, Module } from '@nestjs/common';

import { PruneRecordsService } from './prune-records.service.js';
import { RETENTION, type Retention } from './retention.js';

@Global()
@Module({})
export class RetentionModule {
  static with(retention: Retention): DynamicModule {
    return {
      module: RetentionModule,
      providers: [PruneRecordsService, { provide: RETENTION, useValue: retention }],
      exports: [PruneRecordsService],
    };
  }
}
