import type { Deployment } from '../../generated/prisma/client.js';
import { type Principal, requireRole, requireVisible } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import type { EntityRef } from '../coordinator-sync/index.js';
import type { Queries } from '../storage/index.js';

/** @throws AppError `resource.not_found` when it is missing or hidden from the caller */
export async function readDeploymentRow(db: Queries, principal: Principal, id: string): Promise<Deployment> {
  return requireVisible(principal, await db.deployment.findUnique({ where: { id } }), 'deployment');
}

/** Locks the row, so that changes below it happen one after the other, and checks that the caller may make them. */
export async function lockDeploymentRow(tx: Queries, principal: Principal, id: string): Promise<Deployment> {
  await tx.$queryRaw`SELECT id FROM deployments WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await readDeploymentRow(tx, principal, id);
  requireRole(principal, row.project_id, 'member');
  return row;
}

/** What changes below a deployment changes the deployment. */
export async function touchDeployment(tx: Queries, id: string): Promise<void> {
  await tx.deployment.update({ where: { id }, data: { updated_at: new Date() } });
}

export function deploymentRef(
  row: Pick<Deployment, 'authority' | 'id' | 'domain' | 'project_id'>,
): EntityRef {
  return {
    authority: row.authority,
    kind: 'deployment',
    entityKey: row.id,
    domain: row.domain,
    projectId: row.project_id,
  };
}

export function deploymentAudit(
  action: string,
  row: Deployment,
  changes: Readonly<Record<string, unknown>> = {},
): AuditEntry {
  return {
    action,
    targetKind: 'deployment',
    targetId: row.id,
    targetName: row.name,
    domain: row.domain,
    projectId: row.project_id,
    changes,
  };
}

/** Where the deployment answers; null until the coordinator said so for what the deployment is now. */
export function addressOf(row: Pick<Deployment, 'url' | 'url_visibility' | 'visibility'>): string | null {
  return row.url_visibility === row.visibility ? row.url : null;
}
