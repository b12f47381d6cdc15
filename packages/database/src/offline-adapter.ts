import { ColumnTypeEnum, type SqlDriverAdapter } from '@prisma/driver-adapter-utils';

import type { EngineAdapterFactory } from './schema-engine.js';

/**
 * Stands in for a server where the engine only has to compare schema files: it asks for the version all the same.
 * The version is the oldest one supported, so that the SQL written runs on every later one.
 */
export class OfflineAdapterFactory implements EngineAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName = 'offline';

  connect(): Promise<SqlDriverAdapter> {
    return Promise.resolve(offlineAdapter);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  connectToShadowDb(): Promise<SqlDriverAdapter> {
    return Promise.reject(new Error('This comparison needs a PostgreSQL server.'));
  }
}

const offlineAdapter: SqlDriverAdapter = {
  provider: 'postgres',
  adapterName: 'offline',
  queryRaw: () =>
    Promise.resolve({
      columnNames: ['exists', 'version', 'numeric_version'],
      columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
      rows: [[true, 'PostgreSQL 15.0', 150_000]],
    }),
  executeRaw: () => Promise.resolve(0),
  executeScript: () => Promise.resolve(),
  startTransaction: () => Promise.reject(new Error('This comparison needs a PostgreSQL server.')),
  dispose: () => Promise.resolve(),
};
