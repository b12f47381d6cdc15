import { z } from 'zod';

const PROBE_TIMEOUT_MS = 2_000;

const statusSchema = z.object({
  node_id: z.string(),
  pid: z.int(),
  ready: z.boolean().optional(),
  draining: z.boolean().optional(),
  revision: z.string().nullish(),
  in_flight: z.number().optional(),
});

/** What a router process tells about itself. */
export type RouterStatus = z.infer<typeof statusSchema>;

/** Asks one process on its admin listener; null when it does not answer properly in time. */
export async function routerStatus(adminUrl: string): Promise<RouterStatus | null> {
  try {
    const response = await fetch(`${adminUrl}/status`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return statusSchema.parse(await response.json());
  } catch {
    return null;
  }
}
