import pg from 'pg';

/** Type ids of PostgreSQL's internal one-byte type "char" and of an array of it. */
const CHAR_OID = 18;
const CHAR_ARRAY_OID = 1002;

type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

/** A pool whose results carry columns of type "char" under the array's type id, the one the driver adapter accepts. */
export function createCatalogPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  const query = pool.query.bind(pool) as Query;
  const renaming: Query = async (queryConfig) => renameChars(await query(queryConfig));
  pool.query = renaming as unknown as pg.Pool['query'];
  return pool;
}

function renameChars(result: pg.QueryResult): pg.QueryResult {
  // Several statements in one script give an array of results, which nobody reads the fields of.
  if (Array.isArray(result)) return result;
  for (const field of result.fields) {
    if (field.dataTypeID === CHAR_OID) field.dataTypeID = CHAR_ARRAY_OID;
  }
  return result;
}
