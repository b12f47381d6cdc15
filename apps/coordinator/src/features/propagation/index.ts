/**
 * From a committed change to the routers: broadcast, then the acks. Does not decide what changes and keeps nothing;
 * what a router misses here it gets with its next pull.
 */
export { AnnounceChangeService } from './announce-change.service.js';
export { announcedChange } from './announced-change.js';
export { CircuitAnnouncer, type AnnounceOptions, type HostedCircuit } from './circuit-announcer.service.js';
export { UNCHANGED } from './domain/circuit-outcome.js';
export { unchangedPropagation } from './domain/unchanged-propagation.js';
export { PropagationModule } from './propagation.module.js';
export type { RouteUpdate, RouteUpdates } from './route-updates.js';
