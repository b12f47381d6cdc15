import type { ModelApiKey, Prisma } from '../../generated/prisma/client.js';
import { type Principal, requireRole, requireVisible } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import type { EntityRef } from '../coordinator-sync/index.js';
import type { DirtyEntity } from '../outbox/index.js';
import type { Queries } from '../storage/index.js';

export async function readKey(db: Queries, principal: Principal, id: string): Promise<ModelApiKey> {
  return requireVisible(principal, await db.modelApiKey.findUnique({ where: { id } }), 'key');
}

/** Locks the row, so that changes of one key happen one after the other. */
export async function lockKey(tx: Queries, principal: Principal, id: string): Promise<ModelApiKey> {
  await tx.$queryRaw`SELECT id FROM model_api_keys WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await readKey(tx, principal, id);
  requireRole(principal, row.project_id, 'member');
  return row;
}

/** Every change owes the coordinator a push until one was answered. */
export async function updateKey(
  tx: Queries,
  id: string,
  data: Prisma.ModelApiKeyUpdateInput,
): Promise<ModelApiKey> {
  return tx.modelApiKey.update({ where: { id }, data: { ...data, pushed_revision: null } });
}

/** A key that is revoked or grants nothing must not be on the coordinator. */
export function dirtyKey(row: ModelApiKey): DirtyEntity {
  return { ref: keyRef(row), removed: row.status !== 'ACTIVE' || row.suspended };
}

export function keyAudit(
  action: string,
  row: ModelApiKey,
  changes: Readonly<Record<string, unknown>> = {},
): AuditEntry {
  return {
    action,
    targetKind: 'model-api-key',
    targetId: row.id,
    targetName: row.name,
    domain: row.domain,
    projectId: row.project_id,
    changes: { display_hint: row.display_hint, ...changes },
  };
}

function keyRef(row: ModelApiKey): EntityRef {
  return {
    authority: row.authority,
    kind: 'api-key',
    entityKey: row.id,
    domain: row.domain,
    projectId: row.project_id,
  };
}
