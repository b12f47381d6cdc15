import { type Principal, requireVisible } from '../access/index.js';
import { lockDeploymentRow } from '../deployment-rows/index.js';
import type { Queries } from '../storage/index.js';
import { type DeploymentRow, WITH_REPLICAS } from './deployment.view.js';

export async function readDeployment(db: Queries, principal: Principal, id: string): Promise<DeploymentRow> {
  const row = await db.deployment.findUnique({ where: { id }, include: WITH_REPLICAS });
  return requireVisible(principal, row, 'deployment');
}

/** Locks the deployment and reads it with everything below it. */
export async function lockDeployment(tx: Queries, principal: Principal, id: string): Promise<DeploymentRow> {
  await lockDeploymentRow(tx, principal, id);
  return readDeployment(tx, principal, id);
}
