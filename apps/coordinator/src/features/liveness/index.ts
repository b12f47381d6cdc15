/** Who of an authority is alive: sightings in Redis, a second witness in PostgreSQL, and the rules that count them. */
export {
  AssessLivenessService,
  type LivenessReport,
  type LivenessSubject,
  type NodeReport,
} from './assess-liveness.service.js';
export { PostgresNodeWitness } from './adapters/postgres-node-witness.js';
export { NODE_LIVENESS, type NodeLiveness } from './node-liveness.port.js';
export { LivenessModule } from './liveness.module.js';
