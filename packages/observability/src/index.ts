/** Logs, wide events and metrics, the same in every service. */
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './create-logger.js';
export { errorFields } from './error-fields.js';
export { createMetrics, type Metrics, type MetricsOptions } from './metrics.js';
export { scrubText } from './redact.js';
export { wideEvent, type WideEventFields } from './wide-event.js';
