/** What runs on a timer: grants that must shrink, and differences between the tables and the coordinator. */
export { ReconcileModule } from './reconcile.module.js';
export { ReconcileScheduler } from './reconcile.scheduler.js';
