/** Model API keys of an authority, hashes only: listing (masked), upsert, revocation. */
export { readApiKeys } from './adapters/api-key.store.js';
export { ApiKeysModule } from './api-keys.module.js';
