import type { AppError } from '@penstock/protocol';

import { onDuplicate } from '../../problems.js';
import type { RequestContext } from '../access/index.js';
import type { ChangeService, Propagated } from '../changes/index.js';
import { deploymentAudit, deploymentRef, touchDeployment } from '../deployment-rows/index.js';
import type { Queries } from '../storage/index.js';
import { lockDeployment } from './deployment-rows.js';
import type { DeploymentRow } from './deployment.view.js';

/**
 * Changes of one kind of part a deployment consists of. The coordinator knows deployments whole, so a change of a part
 * is a change of the deployment.
 */
export class PartChanges {
  /** @param alreadyThere - the problem to answer when the deployment has an equal part */
  constructor(
    private readonly changes: ChangeService,
    private readonly alreadyThere: () => AppError,
  ) {}

  /**
   * @param action - as the audit log names it, with what was `written`
   * @param work - makes the change and returns the answer
   */
  async apply<V extends object>(
    context: RequestContext,
    deploymentId: string,
    action: string,
    written: Readonly<Record<string, unknown>>,
    work: (tx: Queries, deployment: DeploymentRow) => Promise<V>,
  ): Promise<Propagated<V>> {
    const change = this.changes.apply(context, async (tx) => {
      const deployment = await lockDeployment(tx, context.principal, deploymentId);
      await touchDeployment(tx, deploymentId);
      return {
        view: await work(tx, deployment),
        audit: [deploymentAudit(action, deployment, written)],
        dirty: [{ ref: deploymentRef(deployment), removed: false }],
      };
    });
    return change.catch(onDuplicate(this.alreadyThere));
  }
}
