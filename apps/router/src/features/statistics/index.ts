/** Tells the coordinator's live database which circuits are used, beside the requests and never in their way. */
export { RedisCircuitStatistics } from './adapters/redis-circuit-statistics.js';
