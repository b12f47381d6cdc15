/**
 * Keeps this node registered, alive in the fleet, and its desired state equal to the coordinator's: events for speed,
 * pulls for truth, one place where both are applied. It never touches a request.
 */
export { systemClock } from './adapters/system.clock.js';
export type { Clock } from './clock.port.js';
export { ControlModule } from './control.module.js';
export { ControlPlane, type ControlStatus } from './control-plane.js';
export { backoffMs } from './domain/backoff.js';
export { workerRequest } from './domain/worker-request.js';
