import type { ModelApiKey } from '../../generated/prisma/client.js';
import type { AuditEntry } from '../audit/index.js';
import type { DirtyEntity } from '../outbox/index.js';
import { json, type Queries } from '../storage/index.js';
import { shrinkGrants } from './domain/grants.js';
import { dirtyKey, keyAudit, updateKey } from './key-rows.js';

/** Keys that changed, to be pushed and audited by whoever owns the transaction. */
export interface KeyChanges {
  readonly dirty: readonly DirtyEntity[];
  readonly audit: readonly AuditEntry[];
}

/** More than this are left to the relay, which starts at once. */
const PUSHED_BY_REQUEST = 8;

/** Takes names that are no longer published out of every active key of the authority. */
export async function pruneGrants(
  tx: Queries,
  authority: string,
  names: readonly string[],
): Promise<KeyChanges> {
  if (names.length === 0) return { dirty: [], audit: [] };
  const ids = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM model_api_keys
    WHERE status = 'ACTIVE' AND authority = ${authority} AND allowed_models ?| ${[...names]}::text[]
    ORDER BY id FOR UPDATE`;
  const rows = await tx.modelApiKey.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });
  const gone = new Set(names);
  const changed: KeyChanges[] = [];
  for (const row of rows) changed.push(await shrinkKey(tx, row, (name) => !gone.has(name)));
  return merge(changed);
}

/** Shortens the grants of a key, which the caller holds locked. A key left without any is suspended. */
export async function shrinkKey(
  tx: Queries,
  row: ModelApiKey,
  mayStay: (name: string) => boolean,
): Promise<KeyChanges> {
  const { kept, lost } = shrinkGrants(row.allowed_models as string[], mayStay);
  if (lost.length === 0) return { dirty: [], audit: [] };
  const after = await updateKey(tx, row.id, { allowed_models: json(kept), suspended: kept.length === 0 });
  return {
    dirty: [dirtyKey(after)],
    audit: [keyAudit('model-api-key.shrink', after, { lost, suspended: after.suspended })],
  };
}

/** Revokes what acts in the name of a user who is about to go. */
export async function revokeKeysOf(tx: Queries, userId: string): Promise<KeyChanges> {
  const rows = await tx.modelApiKey.findMany({
    where: { session_owner: userId, status: 'ACTIVE' },
    orderBy: { id: 'asc' },
  });
  const changed: KeyChanges[] = [];
  for (const row of rows) {
    const after = await updateKey(tx, row.id, { status: 'REVOKED', revoked_at: new Date() });
    changed.push({ dirty: [dirtyKey(after)], audit: [keyAudit('model-api-key.revoke', after)] });
  }
  return merge(changed);
}

function merge(changes: readonly KeyChanges[]): KeyChanges {
  const dirty = changes.flatMap((change) => change.dirty);
  return {
    dirty: dirty.map((entity, index) => (index < PUSHED_BY_REQUEST ? entity : { ...entity, forRelay: true })),
    audit: changes.flatMap((change) => change.audit),
  };
}
