import { isIpOrCidr } from '@penstock/protocol';
import { z } from 'zod';

import {
  authorityInputSchema,
  filterTextSchema,
  idSchema,
  instantSchema,
  jsonObjectSchema,
  nameSchema,
  pageQueryShape,
  publicNameSchema,
} from '../listing/index.js';

const GRANTS_MAX = 256;
const IPS_MAX = 256;
const RATE_MAX = 10_000_000;

/** An empty list could be read as "everything", so it is never written. */
const allowedModelsSchema = z
  .array(publicNameSchema)
  .min(1, 'A key must grant at least one model.')
  .max(GRANTS_MAX)
  .superRefine((names, context) => {
    names.forEach((name, index) => {
      if (names.indexOf(name) === index) return;
      context.addIssue({ code: 'custom', path: [index], message: 'This is listed twice.' });
    });
  });

/** Absent or null: from anywhere. */
const clientIpsSchema = z
  .array(z.string().max(64).refine(isIpOrCidr, 'Give an IP address or a network such as 10.0.0.0/8.'))
  .min(1, 'Give null to allow every address.')
  .max(IPS_MAX)
  .nullable();

const expiresAtSchema = instantSchema.nullable();

/** Requests per minute and router node. */
const rateLimitSchema = z.int().min(1).max(RATE_MAX).nullable();

export const issueKeySchema = z.strictObject({
  project_id: idSchema,
  name: nameSchema(255).nullable().default(null),
  allowed_models: allowedModelsSchema,
  expires_at: expiresAtSchema.default(null),
  rate_limit: rateLimitSchema.default(null),
  allowed_client_ips: clientIpsSchema.default(null),
  attributes: jsonObjectSchema.nullable().default(null),
  owner_id: idSchema.optional(),
  authority: authorityInputSchema.optional(),
});
export type IssueKey = z.output<typeof issueKeySchema>;

/** `allowed_models` may only get shorter here; more needs a rotation, which is a new issuance. */
export const patchKeySchema = z.strictObject({
  name: nameSchema(255).nullable().optional(),
  allowed_models: allowedModelsSchema.optional(),
  expires_at: expiresAtSchema.optional(),
  rate_limit: rateLimitSchema.optional(),
  allowed_client_ips: clientIpsSchema.optional(),
  attributes: jsonObjectSchema.nullable().optional(),
});
export type PatchKey = z.output<typeof patchKeySchema>;

export const rotateKeySchema = z
  .strictObject({ allowed_models: allowedModelsSchema.optional() })
  .prefault({});
export type RotateKey = z.output<typeof rotateKeySchema>;

export const revokeQuerySchema = z.strictObject({
  strict: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});
export type RevokeQuery = z.output<typeof revokeQuerySchema>;

export const keyQuerySchema = z.strictObject({
  ...pageQueryShape,
  project_id: idSchema.optional(),
  owner_id: idSchema.optional(),
  name: filterTextSchema(255),
  authority: filterTextSchema(255),
  status: z.enum(['ACTIVE', 'REVOKED']).optional(),
  model: filterTextSchema(255),
});
export type KeyQuery = z.output<typeof keyQuerySchema>;

export const keySchema = z.object({
  id: z.string(),
  domain: z.string(),
  project_id: z.string(),
  authority: z.string(),
  owner_id: z.string(),
  name: z.string().nullable(),
  display_hint: z.string(),
  allowed_models: z.array(z.string()),
  allowed_client_ips: z.array(z.string()).nullable(),
  attributes: z.record(z.string(), z.unknown()).nullable(),
  expires_at: z.string().nullable(),
  rate_limit: z.int().nullable(),
  status: z.enum(['ACTIVE', 'REVOKED']),
  suspended: z.boolean(),
  revoked_at: z.string().nullable(),
  pushed_revision: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** `key` is there once and null in replays. */
export const issuedKeySchema = keySchema.extend({ key: z.string().nullable() });

export const revokedKeySchema = keySchema.extend({
  strict: z
    .object({
      confirmed: z.boolean(),
      confirmed_nodes: z.array(z.string()),
      unconfirmed_nodes: z.array(z.string()),
    })
    .optional(),
});

export const keyListSchema = z.object({ items: z.array(keySchema), next_cursor: z.string().nullable() });
