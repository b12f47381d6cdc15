/** Model API keys: issued once, kept as hashes, shrunk when what they grant goes away, never widened. */
export { ModelApiKeysModule } from './model-api-keys.module.js';
export { pruneGrants, revokeKeysOf, shrinkKey } from './prune-grants.js';
export { NOBODY, type Owner, readOwner } from './published-names.js';
