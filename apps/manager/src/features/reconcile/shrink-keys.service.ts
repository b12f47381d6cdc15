import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import type { ModelApiKey } from '../../generated/prisma/client.js';
import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import { ChangeService } from '../changes/index.js';
import { NOBODY, type Owner, readOwner, shrinkKey } from '../model-api-keys/index.js';
import { Database, type Queries } from '../storage/index.js';

const BATCH = 500;

/**
 * Takes from every active key the names its owner no longer sees or that are no longer published. There is no event
 * for a lost role, so this looks. Nothing is ever given back: that takes a new issuance.
 */
@Injectable()
export class ShrinkKeysService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  /** @returns how many keys lost something */
  async shrinkAll(): Promise<number> {
    let shrunk = 0;
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const batch = await this.#candidates(after);
      for (const { id } of batch) shrunk += (await this.#shrinkOne(id)) ? 1 : 0;
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) return shrunk;
      after = last.id;
    }
  }

  /** Keys with at least one name that is not published where the owner can see it; the database finds them. */
  async #candidates(after: string): Promise<{ id: string }[]> {
    return this.database.read(
      (db) => db.$queryRaw<{ id: string }[]>`
        SELECT k.id FROM model_api_keys k
        LEFT JOIN users u ON u.id = k.session_owner
        WHERE k.status = 'ACTIVE' AND NOT k.suspended AND k.id > ${after}::uuid AND EXISTS (
          SELECT 1 FROM jsonb_array_elements_text(k.allowed_models) AS a(name)
          WHERE NOT EXISTS (
            SELECT 1 FROM model_publication_names n
            WHERE n.authority = k.authority AND n.name = a.name AND (u.is_admin OR EXISTS (
              SELECT 1 FROM memberships m WHERE m.user_id = k.session_owner AND m.project_id = n.project_id))))
        ORDER BY k.id LIMIT ${BATCH}`,
    );
  }

  async #shrinkOne(id: string): Promise<boolean> {
    let lost = false;
    await this.changes.applyAsSystem(async (tx) => {
      const row = await lockActive(tx, id);
      if (row === null) return { view: {}, audit: [] };
      const owner = (await readOwner(tx, row.session_owner)) ?? NOBODY;
      const visible = await visibleNames(tx, row, owner);
      const change = await shrinkKey(tx, row, (name) => visible.has(name));
      lost = change.dirty.length > 0;
      return { view: {}, ...change };
    });
    if (lost) {
      this.metrics.shrunkKeys.inc({ outcome: 'access_lost' });
      this.logger.info({ key_id: id }, 'key lost grants that its owner no longer has');
    }
    return lost;
  }
}

async function lockActive(tx: Queries, id: string): Promise<ModelApiKey | null> {
  await tx.$queryRaw`SELECT id FROM model_api_keys WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.modelApiKey.findFirst({ where: { id, status: 'ACTIVE', suspended: false } });
}

async function visibleNames(tx: Queries, row: ModelApiKey, owner: Owner): Promise<ReadonlySet<string>> {
  const rows = await tx.modelPublicationName.findMany({
    where: {
      authority: row.authority,
      name: { in: row.allowed_models as string[] },
      ...(owner.isAdmin ? {} : { project_id: { in: [...owner.projectIds] } }),
    },
  });
  return new Set(rows.map(({ name }) => name));
}
