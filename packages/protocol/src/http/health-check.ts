import { z } from 'zod';
import { wireBool, wireInt, wireWeight } from '../wire/scalars.js';
import { storedText } from '../wire/text.js';
import { wireObject } from '../wire/wire-object.js';

/** How a model server wants to be probed. Times in seconds. The coordinator stores it and probes nothing. */
export const healthCheckSchema = wireObject({
  enable: wireBool.default(false),
  interval: wireWeight.default(10),
  path: storedText(1024).default('/health'),
  max_retries: wireInt.default(10),
  max_wait_time: wireWeight.default(15),
  expected_status_code: wireInt.pipe(z.number().min(101).max(999)).default(200),
  initial_delay: wireWeight.default(60),
});
export type HealthCheck = z.output<typeof healthCheckSchema>;

/** `PUT /v2/endpoints/{id}/health-check`. */
export const putHealthCheckBodySchema = wireObject({ health_check: healthCheckSchema.nullable() });
export type PutHealthCheckBody = z.output<typeof putHealthCheckBodySchema>;
