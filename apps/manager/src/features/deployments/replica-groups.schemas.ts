import { replicaGroupLifecycleSchema } from '@penstock/protocol';
import { z } from 'zod';

import { idSchema, nameSchema } from '../listing/index.js';
import { replicaSchema } from './replicas.schemas.js';

/** 0..100 by convention; only the shares among the groups of one deployment matter. 0 drains. */
const trafficWeightSchema = z.int().min(0).max(1_000_000);

export const DEFAULT_GROUP = 'default';

export const groupInputSchema = z.strictObject({
  name: nameSchema(128).optional(),
  traffic_weight: trafficWeightSchema.default(100),
  lifecycle: replicaGroupLifecycleSchema.default('stable'),
});
export type GroupInput = z.output<typeof groupInputSchema>;

export const patchGroupSchema = z.strictObject({
  name: nameSchema(128).optional(),
  traffic_weight: trafficWeightSchema.optional(),
  lifecycle: replicaGroupLifecycleSchema.optional(),
});
export type PatchGroup = z.output<typeof patchGroupSchema>;

export const groupParamsSchema = z.object({ id: idSchema, groupId: idSchema });
export type GroupParams = z.output<typeof groupParamsSchema>;

export const groupSchema = z.object({
  id: z.string(),
  name: z.string(),
  traffic_weight: z.int(),
  lifecycle: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  replicas: z.array(replicaSchema),
});

export const groupListSchema = z.object({ items: z.array(groupSchema), next_cursor: z.null() });
