import { z } from 'zod';

import { filterTextSchema, idSchema, pageQueryShape } from '../listing/index.js';

export const auditQuerySchema = z.strictObject({
  ...pageQueryShape,
  project_id: idSchema.optional(),
  actor_id: idSchema.optional(),
  action: filterTextSchema(64),
  target_kind: filterTextSchema(32),
  target_id: filterTextSchema(255),
});
export type AuditQuery = z.output<typeof auditQuerySchema>;

export const auditLogSchema = z.object({
  id: z.string(),
  domain: z.string().nullable(),
  project_id: z.string().nullable(),
  actor_id: z.string().nullable(),
  actor_name: z.string(),
  action: z.string(),
  target_kind: z.string(),
  target_id: z.string(),
  target_name: z.string().nullable(),
  request_id: z.string().nullable(),
  changes: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});

export const auditListSchema = z.object({
  items: z.array(auditLogSchema),
  next_cursor: z.string().nullable(),
});
