import { z } from 'zod';

import { idSchema, nameSchema } from '../listing/index.js';

export const REPLICAS_MAX = 1_024;

/** Relative to the other replicas of the group. 0 drains. */
const weightSchema = z.number().min(0).max(1_000_000);

const acceleratorsSchema = z
  .strictObject({ model: nameSchema(255), count: z.int().min(0).max(1_024) })
  .nullable();

const IPV4 = /^(\d{1,3}\.){3}\d{1,3}$/;
const HOSTNAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

/** An address or a host name, and nothing that could smuggle a port, a path or credentials into a URL. */
const hostSchema = z
  .string()
  .max(253)
  .refine((host) => isIpv4(host) || isIpv6(host) || isHostname(host), 'Give an IP address or a host name.');

export const replicaInputSchema = z.strictObject({
  host: hostSchema,
  port: z.int().min(1).max(65_535),
  weight: weightSchema.default(1),
  accelerators: acceleratorsSchema.default(null),
});

/** Without a group the replica joins the default one. */
export const addReplicaSchema = replicaInputSchema.extend({ replica_group_id: idSchema.optional() });
export type AddReplica = z.output<typeof addReplicaSchema>;

export const replaceReplicasSchema = z.strictObject({
  replicas: z.array(addReplicaSchema).max(REPLICAS_MAX),
});
export type ReplaceReplicas = z.output<typeof replaceReplicasSchema>;

export const patchReplicaSchema = z.strictObject({
  host: hostSchema.optional(),
  port: z.int().min(1).max(65_535).optional(),
  weight: weightSchema.optional(),
  accelerators: acceleratorsSchema.optional(),
  replica_group_id: idSchema.optional(),
});
export type PatchReplica = z.output<typeof patchReplicaSchema>;

export const replicaParamsSchema = z.object({ id: idSchema, replicaId: idSchema });
export type ReplicaParams = z.output<typeof replicaParamsSchema>;

export const replicaSchema = z.object({
  id: z.string(),
  replica_group_id: z.string(),
  host: z.string(),
  port: z.int(),
  weight: z.number(),
  accelerators: z.object({ model: z.string(), count: z.int() }).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const replicaListSchema = z.object({ items: z.array(replicaSchema), next_cursor: z.null() });

function isIpv4(host: string): boolean {
  return z.ipv4().safeParse(host).success;
}

function isIpv6(host: string): boolean {
  return z.ipv6().safeParse(host).success;
}

/** Digits and dots that are no address would be read as one by some resolvers. */
function isHostname(host: string): boolean {
  return HOSTNAME.test(host) && !IPV4.test(host) && !/^[\d.]+$/.test(host) && !/^0x/i.test(host);
}
