import { z } from 'zod';

import { idSchema } from '../listing/index.js';

const DAY_S = 86_400;

/** Seconds between two rotations; a token lives for twice as long. */
const rotationIntervalSchema = z
  .int()
  .min(2)
  .max(30 * DAY_S)
  .default(DAY_S);

export const DEFAULT_ROTATION_INTERVAL_S = rotationIntervalSchema.parse(undefined);

export const putUpstreamSchema = z.strictObject({
  upstream_deployment_id: idSchema,
  rotation_interval_s: rotationIntervalSchema,
});
export type PutUpstream = z.output<typeof putUpstreamSchema>;

export const upstreamSchema = z.object({
  deployment_id: z.string(),
  upstream_deployment_id: z.string(),
  rotation_interval_s: z.int(),
  token_state: z.enum(['missing', 'current', 'expiring', 'expired']),
  issued_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  next_rotation_at: z.string(),
  failed_attempts: z.int(),
  last_error: z.string().nullable(),
});

const propagationSchema = z.looseObject({ status: z.enum(['applied', 'deferred', 'unchanged']) });

export const boundUpstreamSchema = upstreamSchema.extend({ propagation: propagationSchema });

export const unboundSchema = z.object({
  deployment_id: z.string(),
  upstream_deployment_id: z.null(),
  propagation: propagationSchema,
});

export const lineageSchema = z.object({
  deployment_id: z.string(),
  upstream: z.string().nullable(),
  ancestors: z.array(z.string()).describe('What it calls, what that calls, and so on: nearest first.'),
  downstreams: z.array(z.string()).describe('What calls it.'),
  descendants: z.array(z.string()).describe('What calls it, directly or not: nearest first.'),
  hidden: z.int().describe('How many more there are in projects of others.'),
});

export const serviceEnvironmentSchema = z.object({
  deployment_id: z.string(),
  variables: z.record(z.string(), z.string()),
  issued_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  next_rotation_at: z.string().nullable(),
});
