/** What every control-plane service shares: the HTTP set-up, error bodies, input parsing, health and process life. */
export type { MapError } from './errors/classify-failure.js';
export {
  HealthRegistry,
  type CheckReport,
  type ReadinessCheck,
  type ReadinessReport,
} from './health/health-registry.js';
export { createHttpService } from './http/create-http-service.js';
export type { ErrorStyle, HttpServiceOptions, ProbeOptions } from './http/http-service-options.js';
export { NestLogger } from './nest-logger.js';
export { PeriodicRounds } from './process/periodic-rounds.js';
export { runService, type ProcessSurface, type RunServiceOptions } from './process/run-service.js';
export { newRequestId } from './request-id.js';
export { parseWith } from './validation/parse-with.js';
export { RequestInvalidError, type RequestPart } from './validation/request-invalid.error.js';
export { ZodBody, ZodParams, ZodQuery } from './validation/zod-pipes.js';
