/** POST requests with an `Idempotency-Key` happen once; repeats get the stored answer, without its secrets. */
export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyStore } from './idempotency.store.js';
export { withoutSecrets } from './stored-body.js';
