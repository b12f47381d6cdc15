/** Access to the tables: deadlines, retries of lost races, and one error for "the database is away". */
export { Database, type Queries } from './database.js';
export { json, jsonColumn } from './json-column.js';
export { StorageModule } from './storage.module.js';
