/**
 * From nothing to serving and back: slots, listeners, draining, and the supervision of several processes. It is where
 * the data plane and the control side meet; it decides nothing about requests or desired state.
 */
export { claimSlot } from './adapters/slot-directory.js';
export { forkWorker, WORKER_INDEX_ARGUMENT } from './cluster/fork-worker.js';
export { onPrimaryLoss } from './cluster/primary-loss.js';
export { WorkerSupervisor } from './cluster/worker-supervisor.js';
export { EXIT_CONFIG } from './exit-codes.js';
export { LifecycleModule } from './lifecycle.module.js';
export { RouterLifecycle, type BoundAddresses } from './router-lifecycle.service.js';
export { StartupError } from './startup-error.js';
