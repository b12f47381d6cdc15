/** What runs on a timer: grants that must shrink, and differences between the tables and the coordinator. */
export { ReconcileModule, type ReconcileOptions } from './reconcile.module.js';
export { ReconcileScheduler } from './reconcile.scheduler.js';
