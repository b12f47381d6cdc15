/** The coordinator's PostgreSQL database behind one class: deadlines, retries, and a clean 503 while it is away. */
export { Database, type Executor } from './database.js';
export { jsonColumn, nullableJsonColumn } from './json-column.js';
export { ADVISORY_LOCKS, lockFor } from './advisory-lock.js';
export { PersistenceModule } from './persistence.module.js';
