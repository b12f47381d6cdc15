/**
 * From a committed change to the workers: broadcast, then the acks. Does not decide what changes, and keeps nothing but
 * whether a circuit was ever acknowledged.
 */
export { AnnounceChangeService } from './announce-change.service.js';
export { announcedChange } from './announced-change.js';
export { CircuitAnnouncer, type AnnounceOptions } from './circuit-announcer.service.js';
export { pullsForEver, type HostedCircuit, type HostWorker } from './host-worker.js';
export { UNCHANGED } from './domain/circuit-outcome.js';
export { unchangedPropagation } from './domain/unchanged-propagation.js';
export { PropagationModule } from './propagation.module.js';
export type { RouteUpdate, RouteUpdates } from './route-updates.js';
