import { z } from 'zod';

import { filterTextSchema, namePageQueryShape, nameSchema } from '../listing/index.js';

/** Part of URLs and of configuration elsewhere, hence plain. */
export const domainNameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'Use lower-case letters, digits, ".", "_" and "-".');

export const createDomainSchema = z.strictObject({
  name: domainNameSchema,
  description: nameSchema(1024).nullable().default(null),
});
export type CreateDomain = z.output<typeof createDomainSchema>;

export const domainQuerySchema = z.strictObject({
  ...namePageQueryShape,
  name: filterTextSchema(64),
});
export type DomainQuery = z.output<typeof domainQuerySchema>;

export const domainSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
});

export const domainListSchema = z.object({
  items: z.array(domainSchema),
  next_cursor: z.string().nullable(),
});
