/**
 * Endpoints that are called by their own host: which one a request means, and whether its caller may. Used by the public
 * listener of a wildcard worker and by the internal listener of any worker. It touches no connection.
 */
export type { CircuitFallback } from './circuit-fallback.port.js';
export { noFallback } from './no-fallback.js';
export {
  authoriseCircuit,
  checkAddress,
  circuitOfToken,
  mismatch,
  readBearer,
} from './domain/authorise-circuit.js';
export { HostRules, type HostMatch } from './domain/host-rules.js';
export { isModelApi } from './domain/is-model-api.js';
export { wireErrorBody } from './domain/wire-error-body.js';
export { TokenVerifier } from './token-verifier.js';
