/** The way to the coordinator: its client, and the wire form of what the tables hold. Knows no queue and no retry. */
export { CoordinatorHttp } from './adapters/coordinator-http.js';
export { UndiciCoordinatorClient } from './adapters/undici-coordinator.client.js';
export {
  COORDINATOR_CLIENT,
  type CoordinatorClient,
  type RouterWorker,
  type TokenWish,
} from './coordinator-client.port.js';
export { CoordinatorError } from './coordinator.error.js';
export { CoordinatorSyncModule } from './coordinator-sync.module.js';
export { type EntityKind, type EntityRef, inLockOrder, keyOf } from './domain/entity-ref.js';
export { deferred, type Propagation, type PushResult, UNPROVEN } from './domain/propagation.js';
export { type DeploymentState, toRoutesItem } from './domain/wire-deployment.js';
export { type KeyState, toPutKeyBody } from './domain/wire-key.js';
export { type PublicationState, toPutModelBody } from './domain/wire-publication.js';
export { SendEntityService } from './send-entity.service.js';
export { toDeploymentState } from './state-reader.js';
