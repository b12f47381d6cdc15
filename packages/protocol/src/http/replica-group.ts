import type { z } from 'zod';
import { replicaGroupLifecycleSchema } from '../enums.js';
import { uuidSchema, wireNumber, wireWeight } from '../wire/scalars.js';
import { wireObject } from '../wire/wire-object.js';

/** A replica group as the manager writes it. 0..100 by convention; 0 drains. */
export const replicaGroupSchema = wireObject({
  id: uuidSchema,
  traffic_weight: wireWeight.default(100),
  lifecycle: replicaGroupLifecycleSchema.default('stable'),
});
export type ReplicaGroup = z.output<typeof replicaGroupSchema>;

/**
 * The same group as a worker reads it. A lifecycle of a later release must not cost the whole circuit: the weight
 * decides anyway. Weights are sanitised by whoever selects with them.
 */
export const circuitReplicaGroupSchema = wireObject({
  id: uuidSchema,
  traffic_weight: wireNumber.default(100),
  lifecycle: replicaGroupLifecycleSchema.catch('stable').default('stable'),
});
