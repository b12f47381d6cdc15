/** Injection tokens of what every feature may use. */
export const COORDINATOR_CONFIG = Symbol('CoordinatorConfig');
export const LOGGER = Symbol('Logger');
export const METRICS = Symbol('Metrics');
export const EVENT_BUS = Symbol('EventBus');
export const LIVENESS_REDIS = Symbol('LivenessRedis');
