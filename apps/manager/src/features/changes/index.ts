/** The one path of every mutation, from the transaction to the acknowledged push. */
export { ChangeModule } from './change.module.js';
export { type Change, ChangeService, type Propagated } from './change.service.js';
