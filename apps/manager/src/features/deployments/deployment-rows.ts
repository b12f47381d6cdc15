import { type Principal, requireRole, requireVisible } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import type { EntityRef } from '../coordinator-sync/index.js';
import type { Queries } from '../storage/index.js';
import type { Deployment } from '../../generated/prisma/client.js';
import { type DeploymentRow, WITH_REPLICAS } from './deployment.view.js';

export async function readDeployment(db: Queries, principal: Principal, id: string): Promise<DeploymentRow> {
  const row = await db.deployment.findUnique({ where: { id }, include: WITH_REPLICAS });
  return requireVisible(principal, row, 'deployment');
}

/** Locks the row, so that changes below it happen one after the other, and checks that the caller may make them. */
export async function lockDeployment(tx: Queries, principal: Principal, id: string): Promise<DeploymentRow> {
  await tx.$queryRaw`SELECT id FROM deployments WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await readDeployment(tx, principal, id);
  requireRole(principal, row.project_id, 'member');
  return row;
}

/** What changes below a deployment changes the deployment. */
export async function touchDeployment(tx: Queries, id: string): Promise<void> {
  await tx.deployment.update({ where: { id }, data: { updated_at: new Date() } });
}

export function deploymentRef(row: Deployment): EntityRef {
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
