/** Circuits as the wire shows them: read, looked up, removed. Endpoints create them and change their routes. */
export { LIVENESS_SUBJECT, removeCircuits } from './adapters/circuit.store.js';
export { RedisCircuitStatistics } from './adapters/redis-circuit-statistics.js';
export { toAccess, toAddressed, toCircuit } from './domain/to-circuit.js';
export { CircuitsModule } from './circuits.module.js';
