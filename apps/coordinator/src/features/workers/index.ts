/** Workers: registration, heartbeat, departure, and the fleet as callers see it. One row per authority. */
export { WorkerStore } from './adapters/worker.store.js';
export { DescribeWorkersService } from './describe-workers.service.js';
export { WorkersModule } from './workers.module.js';
