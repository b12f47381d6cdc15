import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { LOGGER } from '../../telemetry.js';
import { Database, type Queries } from '../storage/index.js';
import { RETENTION, type Retention } from './retention.js';

/** Rows of one statement: short enough for its deadline, whatever the table holds. */
const BATCH = 2_000;
/** Statements per kind and round: a long backlog goes over several rounds and blocks none. */
const BATCHES_MAX = 20;
const DAY_MS = 86_400_000;

type Deletion = (db: Queries, before: Date) => Promise<number>;

/** Deletes what is older than the operator wants to keep. Several processes may do it at once. */
@Injectable()
export class PruneRecordsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RETENTION) private readonly retention: Retention,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async prune(): Promise<void> {
    const { auditDays, tombstoneDays, expiredTokenDays } = this.retention;
    const pruned = {
      audit_rows: auditDays === null ? 0 : await this.#inBatches(oldAuditRows, auditDays),
      tombstones: await this.#inBatches(oldTombstones, tombstoneDays),
      tokens: await this.#inBatches(expiredTokens, expiredTokenDays),
    };
    if (Object.values(pruned).some((count) => count > 0)) this.logger.info(pruned, 'old records deleted');
  }

  async #inBatches(deletion: Deletion, days: number): Promise<number> {
    const before = new Date(Date.now() - days * DAY_MS);
    let total = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const count = await this.database.read((db) => deletion(db, before));
      total += count;
      if (count < BATCH) break;
    }
    return total;
  }
}

const oldAuditRows: Deletion = (db, before) => db.$executeRaw`
  DELETE FROM audit_logs WHERE id IN (
    SELECT id FROM audit_logs WHERE created_at < ${before} ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;

/** A removal that the coordinator was not told of yet is not history. */
const oldTombstones: Deletion = (db, before) => db.$executeRaw`
  DELETE FROM tombstones WHERE (authority, kind, entity_key) IN (
    SELECT authority, kind, entity_key FROM tombstones t
    WHERE removed_at < ${before} AND NOT EXISTS (
      SELECT 1 FROM outbox_entries o
      WHERE o.authority = t.authority AND o.kind = t.kind AND o.entity_key = t.entity_key)
    ORDER BY removed_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;

const expiredTokens: Deletion = (db, before) => db.$executeRaw`
  DELETE FROM deployment_tokens WHERE id IN (
    SELECT id FROM deployment_tokens WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${BATCH}
    FOR UPDATE SKIP LOCKED)`;
