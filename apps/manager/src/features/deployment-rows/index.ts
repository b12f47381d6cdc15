/** What every feature that touches a deployment's row shares: the lock, the checks, its identity and its audit entry. */
export {
  addressOf,
  deploymentAudit,
  deploymentRef,
  lockDeploymentRow,
  readDeploymentRow,
  touchDeployment,
} from './deployment-rows.js';
