import { newId } from '../../new-id.js';
import { json, type Queries } from '../storage/index.js';
import type { AuditActor, AuditEntry } from './audit-entry.js';

/** Writes the rows in the transaction of the change they describe: neither exists without the other. */
export async function writeAudit(
  tx: Queries,
  actor: AuditActor,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.auditLog.createMany({ data: entries.map((entry) => toRow(actor, entry)) });
}

function toRow(actor: AuditActor, entry: AuditEntry) {
  return {
    id: newId(),
    domain: entry.domain,
    project_id: entry.projectId,
    actor_id: actor.id,
    actor_name: actor.name,
    action: entry.action,
    target_kind: entry.targetKind,
    target_id: entry.targetId,
    target_name: entry.targetName,
    request_id: actor.requestId,
    changes: json(entry.changes ?? {}),
  };
}
