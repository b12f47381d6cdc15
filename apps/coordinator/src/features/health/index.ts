/** Whether this process lives and can serve, what it knows of the fleet, and its metrics. */
export { HealthModule } from './health.module.js';
