import { randomUUID } from 'node:crypto';

import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlDriverAdapter, type SqlResultSet } from '@prisma/driver-adapter-utils';
import pg from 'pg';

import { createCatalogPool } from './catalog-pool.js';
import type { EngineAdapterFactory } from './schema-engine.js';

/**
 * The adapter the schema engine migrates through. It differs from the stock one in three ways: a migration file is sent
 * whole, so that it is one transaction and may contain function bodies (the stock adapter cuts at every semicolon),
 * a shadow database is left before it is dropped, and the catalog type "char" is understood.
 */
export class MigrationAdapterFactory implements EngineAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName = '@prisma/adapter-pg';

  private readonly opened: SqlDriverAdapter[] = [];

  constructor(private readonly url: string) {}

  /** Ends every connection still open: the engine itself leaves them to time out. */
  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((adapter) => adapter.dispose()));
  }

  async connect(): Promise<SqlDriverAdapter> {
    return this.open(this.url);
  }

  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    await this.onServer(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
    const shadowUrl = new URL(this.url);
    shadowUrl.pathname = `/${database}`;
    const adapter = await this.open(shadowUrl.toString());
    const leave = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await leave();
      await this.onServer(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`);
    };
    return adapter;
  }

  /** One connection only: the engine's session lock and its statements then cannot end up in different sessions. */
  private async open(connectionString: string): Promise<SqlDriverAdapter> {
    const pool = createCatalogPool({ connectionString, max: 1, connectionTimeoutMillis: 10_000 });
    const factory = new PrismaPg(pool, { disposeExternalPool: true });
    const adapter = disposedOnce(readingChars(sendingScriptsWhole(await factory.connect())));
    this.opened.push(adapter);
    return adapter;
  }

  private async onServer(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 10_000 });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}

function disposedOnce(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const dispose = adapter.dispose.bind(adapter);
  let disposing: Promise<void> | undefined;
  adapter.dispose = () => (disposing ??= dispose());
  return adapter;
}

/** Without parameters the driver uses the simple protocol: many statements, one implicit transaction. */
function sendingScriptsWhole(adapter: SqlDriverAdapter): SqlDriverAdapter {
  adapter.executeScript = async (script) => {
    await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
  };
  return adapter;
}

/**
 * Catalog columns of type "char" are unknown to the driver adapter. The pool passes them off as arrays of it, a type
 * the catalog queries do not use, and here they become what the engine expects: a character, with a zero byte for none.
 */
function readingChars(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => withCharacters(await queryRaw(query));
  return adapter;
}

function withCharacters(result: SqlResultSet): SqlResultSet {
  const isChar = result.columnTypes.map((type) => type === ColumnTypeEnum.CharacterArray);
  if (!isChar.includes(true)) return result;
  return {
    ...result,
    columnTypes: result.columnTypes.map((type, column) => (isChar[column] ? ColumnTypeEnum.Character : type)),
    rows: result.rows.map((row) =>
      row.map((value, column) => (isChar[column] && value === '' ? '\0' : value)),
    ),
  };
}
