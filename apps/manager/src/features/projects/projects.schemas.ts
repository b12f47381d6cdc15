import { z } from 'zod';

import { DEFAULT_DOMAIN, ROLES } from '../access/index.js';
import { domainNameSchema } from '../domains/index.js';
import { filterTextSchema, idSchema, nameSchema, pageQueryShape } from '../listing/index.js';

export const createProjectSchema = z.strictObject({
  name: nameSchema(128),
  domain: domainNameSchema.default(DEFAULT_DOMAIN),
  description: nameSchema(1024).nullable().default(null),
});
export type CreateProject = z.output<typeof createProjectSchema>;

/** The domain of a project is part of what it is and does not change. */
export const patchProjectSchema = z.strictObject({
  name: nameSchema(128).optional(),
  description: nameSchema(1024).nullable().optional(),
});
export type PatchProject = z.output<typeof patchProjectSchema>;

export const projectQuerySchema = z.strictObject({
  ...pageQueryShape,
  domain: filterTextSchema(64),
  name: filterTextSchema(128),
});
export type ProjectQuery = z.output<typeof projectQuerySchema>;

export const projectSchema = z.object({
  id: z.string(),
  domain: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const projectListSchema = z.object({
  items: z.array(projectSchema),
  next_cursor: z.string().nullable(),
});

export const memberParamsSchema = z.object({ id: idSchema, userId: idSchema });
export type MemberParams = z.output<typeof memberParamsSchema>;

export const putMemberSchema = z.strictObject({ role: z.enum(ROLES) });
export type PutMember = z.output<typeof putMemberSchema>;

export const memberSchema = z.object({
  project_id: z.string(),
  user_id: z.string(),
  domain: z.string(),
  role: z.enum(ROLES),
  created_at: z.string(),
});

export const memberQuerySchema = z.strictObject(pageQueryShape);
export type MemberQuery = z.output<typeof memberQuerySchema>;

export const memberListSchema = z.object({
  items: z.array(memberSchema),
  next_cursor: z.string().nullable(),
});
