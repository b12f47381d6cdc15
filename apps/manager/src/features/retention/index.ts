/** How long records are kept that nothing needs any more: audit rows, tombstones, expired access tokens. */
export type { Retention } from './retention.js';
export { RetentionModule } from './retention.module.js';
export { PruneRecordsService } from './prune-records.service.js';
