import { z } from 'zod';

import { DEFAULT_DOMAIN } from '../access/index.js';
import { domainNameSchema } from '../domains/index.js';
import { filterTextSchema, idSchema, instantSchema, nameSchema, pageQueryShape } from '../listing/index.js';

export const createUserSchema = z.strictObject({
  name: nameSchema(128),
  email: z.email().max(320).nullable().default(null),
  domain: domainNameSchema.default(DEFAULT_DOMAIN),
  is_admin: z.boolean().default(false),
});
export type CreateUser = z.output<typeof createUserSchema>;

export const userQuerySchema = z.strictObject({
  ...pageQueryShape,
  name: filterTextSchema(128),
  domain: filterTextSchema(64),
  project_id: idSchema.optional(),
});
export type UserQuery = z.output<typeof userQuerySchema>;

export const userSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  domain: z.string(),
  is_admin: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const userListSchema = z.object({ items: z.array(userSchema), next_cursor: z.string().nullable() });

export const createTokenSchema = z
  .strictObject({
    name: nameSchema(128).nullable().default(null),
    expires_at: instantSchema.nullable().default(null),
  })
  .prefault({});
export type CreateToken = z.output<typeof createTokenSchema>;

export const tokenSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  domain: z.string(),
  name: z.string().nullable(),
  display_hint: z.string(),
  expires_at: z.string().nullable(),
  created_at: z.string(),
});

/** `token` is there once and null in replays. */
export const issuedTokenSchema = tokenSchema.extend({ token: z.string().nullable() });

export const tokenListSchema = z.object({ items: z.array(tokenSchema), next_cursor: z.string().nullable() });

export const tokenQuerySchema = z.strictObject({ ...pageQueryShape });
export type TokenQuery = z.output<typeof tokenQuerySchema>;

export const tokenParamsSchema = z.object({ id: idSchema, tokenId: idSchema });
export type TokenParams = z.output<typeof tokenParamsSchema>;
