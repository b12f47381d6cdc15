import type { RequestContext } from '../access/index.js';
import type { ChangeService, Propagated } from '../changes/index.js';
import type { Queries } from '../storage/index.js';
import { deploymentAudit, deploymentRef, lockDeployment, touchDeployment } from './deployment-rows.js';
import type { DeploymentRow } from './deployment.view.js';

/** A change of something a deployment consists of. */
export interface ChangeBelow<V extends object> {
  readonly deploymentId: string;
  /** As the audit log names it, with what was written. */
  readonly action: string;
  readonly written: Readonly<Record<string, unknown>>;
  /** Makes the change and returns the answer. */
  readonly work: (tx: Queries, deployment: DeploymentRow) => Promise<V>;
}

/** The coordinator knows deployments whole, so a change of a part is a change of the deployment. */
export function changeBelowDeployment<V extends object>(
  changes: ChangeService,
  context: RequestContext,
  { deploymentId, action, written, work }: ChangeBelow<V>,
): Promise<Propagated<V>> {
  return changes.apply(context, async (tx) => {
    const deployment = await lockDeployment(tx, context.principal, deploymentId);
    await touchDeployment(tx, deploymentId);
    return {
      view: await work(tx, deployment),
      audit: [deploymentAudit(action, deployment, written)],
      dirty: [{ ref: deploymentRef(deployment), removed: false }],
    };
  });
}
