import { z } from 'zod';

import { idSchema, instantSchema, pageQueryShape } from '../listing/index.js';

export const mintTokenSchema = z
  .strictObject({
    expires_at: instantSchema.nullable().default(null),
    user_id: idSchema.optional(),
  })
  .prefault({});
export type MintToken = z.output<typeof mintTokenSchema>;

export const deploymentTokenParamsSchema = z.object({ id: idSchema, tokenId: idSchema });
export type DeploymentTokenParams = z.output<typeof deploymentTokenParamsSchema>;

export const deploymentTokenQuerySchema = z.strictObject({ ...pageQueryShape, user_id: idSchema.optional() });
export type DeploymentTokenQuery = z.output<typeof deploymentTokenQuerySchema>;

export const deploymentTokenSchema = z.object({
  id: z.string(),
  deployment_id: z.string(),
  user_id: z.string(),
  expires_at: z.string(),
  created_at: z.string(),
});

/** `token` is null in the repetition of a request under the same `Idempotency-Key`. */
export const mintedTokenSchema = deploymentTokenSchema.extend({ token: z.string().nullable() });

export const deploymentTokenListSchema = z.object({
  items: z.array(deploymentTokenSchema),
  next_cursor: z.string().nullable(),
});
