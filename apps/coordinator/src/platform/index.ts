/** What every feature may use: configuration, logger, metrics, the bus, the liveness connection. */
export { COORDINATOR_CONFIG, EVENT_BUS, LIVENESS_REDIS, LOGGER, METRICS } from './tokens.js';
export { PlatformModule, type Platform } from './platform.module.js';
export { advertisedUrl } from './advertised-url.js';
export { Sweep } from './sweep.js';
export { serviceVersion } from './service-version.js';
