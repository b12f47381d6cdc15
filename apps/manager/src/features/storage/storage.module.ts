import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';

import { Database } from './database.js';

/** Gives every feature the one database handle and closes it last. */
@Global()
@Module({})
export class StorageModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  static with(database: Database): DynamicModule {
    return {
      module: StorageModule,
      providers: [{ provide: Database, useValue: database }],
      exports: [Database],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
