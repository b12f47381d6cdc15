import { nodeDetailSchema } from '@penstock/protocol';
import { z } from 'zod';

import { filterTextSchema } from '../listing/index.js';

export const routerQuerySchema = z.strictObject({ authority: filterTextSchema(255) });
export type RouterQuery = z.output<typeof routerQuerySchema>;

const routerSchema = z.object({
  authority: z.string(),
  hostname: z.string(),
  revision: z.string().nullable(),
  live_nodes: z.int(),
  nodes: z.array(nodeDetailSchema),
});
export type RouterView = z.output<typeof routerSchema>;

export const routerListSchema = z.object({ items: z.array(routerSchema), next_cursor: z.null() });
