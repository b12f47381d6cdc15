import { z } from 'zod';

import { idSchema, pageQueryShape } from '../listing/index.js';

export const auditQuerySchema = z.strictObject({
  ...pageQueryShape,
  project_id: idSchema.optional(),
  actor_id: idSchema.optional(),
  action: z.string().max(64).optional(),
  target_kind: z.string().max(32).optional(),
  target_id: z.string().max(255).optional(),
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
