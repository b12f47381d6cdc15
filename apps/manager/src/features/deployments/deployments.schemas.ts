import { z } from 'zod';

import {
  authorityInputSchema,
  filterTextSchema,
  idSchema,
  jsonObjectSchema,
  nameSchema,
  pageQueryShape,
} from '../listing/index.js';
import { accessShape } from './access-fields.js';
import { groupInputSchema, groupSchema } from './replica-groups.schemas.js';
import { replicaInputSchema, REPLICAS_MAX } from './replicas.schemas.js';

const GROUPS_MAX = 64;

const capabilitiesSchema = z
  .array(nameSchema(64))
  .max(64)
  .refine((list) => new Set(list).size === list.length, 'Name each capability once.');

const groupWithReplicasSchema = groupInputSchema.extend({
  replicas: z.array(replicaInputSchema).max(REPLICAS_MAX).default([]),
});
export type GroupWithReplicas = z.output<typeof groupWithReplicasSchema>;

export const createDeploymentSchema = z
  .strictObject({
    project_id: idSchema,
    name: nameSchema(255),
    served_model: nameSchema(1024).nullable().default(null),
    capabilities: capabilitiesSchema.default([]),
    policy: jsonObjectSchema.nullable().default(null),
    ...accessShape,
    upstream_deployment_id: idSchema.nullable().default(null),
    authority: authorityInputSchema.optional(),
    runtime_variant: nameSchema(64).default('custom'),
    replica_groups: z.array(groupWithReplicasSchema).max(GROUPS_MAX).optional(),
    replicas: z.array(replicaInputSchema).max(REPLICAS_MAX).optional(),
  })
  .refine(({ replica_groups, replicas }) => replica_groups === undefined || replicas === undefined, {
    path: ['replicas'],
    message: 'Give replica_groups, or replicas for one default group, not both.',
  });
export type CreateDeployment = z.output<typeof createDeploymentSchema>;

/**
 * Project, authority and runtime variant are what the deployment is; they do not change. The upstream has a route of
 * its own.
 */
export const patchDeploymentSchema = z.strictObject({
  name: nameSchema(255).optional(),
  served_model: nameSchema(1024).nullable().optional(),
  capabilities: capabilitiesSchema.optional(),
  policy: jsonObjectSchema.nullable().optional(),
  ...accessShape,
});
export type PatchDeployment = z.output<typeof patchDeploymentSchema>;

export const deploymentQuerySchema = z.strictObject({
  ...pageQueryShape,
  project_id: idSchema.optional(),
  name: filterTextSchema(255),
  authority: filterTextSchema(255),
  visibility: z.enum(['public', 'internal']).optional(),
  upstream_deployment_id: idSchema.optional(),
});
export type DeploymentQuery = z.output<typeof deploymentQuerySchema>;

export const propagationDocSchema = z.object({
  status: z.enum(['applied', 'deferred', 'unchanged']),
  revision: z.string().nullable(),
  first_ack_node: z.string().nullable(),
  waited_ms: z.int(),
  reason: z.string().optional(),
});

export const deploymentSchema = z.object({
  id: z.string(),
  domain: z.string(),
  project_id: z.string(),
  authority: z.string(),
  name: z.string(),
  served_model: z.string().nullable(),
  runtime_variant: z.string(),
  capabilities: z.array(z.string()),
  policy: z.record(z.string(), z.unknown()).nullable(),
  visibility: z.enum(['public', 'internal']),
  requires_token: z.boolean(),
  open_to_public: z.boolean().meta({ deprecated: true }),
  allowed_client_ips: z.array(z.string()).nullable(),
  url: z.string().nullable().describe('Where it answers; null until the coordinator has found a worker.'),
  upstream_deployment_id: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  replica_groups: z.array(groupSchema),
});

export const changedDeploymentSchema = deploymentSchema.extend({
  warnings: z.array(z.string()),
  propagation: propagationDocSchema,
});

export const deploymentListSchema = z.object({
  items: z.array(deploymentSchema),
  next_cursor: z.string().nullable(),
});

export const removedSchema = z.object({
  id: z.string(),
  warnings: z.array(z.string()),
  propagation: propagationDocSchema,
});
