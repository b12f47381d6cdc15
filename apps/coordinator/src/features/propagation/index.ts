/**
 * From a committed change to the routers: broadcast, then the acks. Does not decide what changes and keeps nothing;
 * what a router misses here it gets with its next pull.
 */
export { AnnounceChangeService } from './announce-change.service.js';
export { CircuitAnnouncer } from './circuit-announcer.service.js';
export { unchangedPropagation } from './domain/unchanged-propagation.js';
export { PropagationModule } from './propagation.module.js';
