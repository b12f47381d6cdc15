export { claimSlot, type Slot } from './adapters/slot-directory.js';
export { forkWorker, WORKER_INDEX_ARGUMENT } from './cluster/fork-worker.js';
export { WorkerSupervisor } from './cluster/worker-supervisor.js';
export { EXIT_CONFIG } from './exit-codes.js';
export { InternalListener } from './internal-listener.js';
export { LifecycleModule } from './lifecycle.module.js';
export { RouterLifecycle, type BoundAddresses } from './router-lifecycle.service.js';
export { StartupError } from './startup-error.js';
