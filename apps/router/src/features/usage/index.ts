/** What a request leaves behind, and the one place where it ends. */
export { DataPlaneMetrics } from './data-plane-metrics.js';
export { RequestFinisher } from './request-finisher.service.js';
export { newRequestId } from './request-id.js';
export { RequestRecord, type AttemptRecord, type Outcome } from './request-record.js';
export { noStatistics, type CircuitStatistics } from './circuit-statistics.port.js';
