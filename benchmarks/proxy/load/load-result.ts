import { z } from 'zod';

/** One measurement as both generators print it: the last line of their output, as JSON. Latencies in microseconds. */
const loadResultSchema = z.object({
  requests: z.number(),
  duration_us: z.number().positive(),
  p50_us: z.number(),
  p99_us: z.number(),
  /** Answers that were not 2xx, and broken connections. */
  errors: z.number(),
});

export type LoadResult = z.infer<typeof loadResultSchema>;

/** @throws when the generator printed no result, with what it printed instead */
export function parseLoadResult(output: string): LoadResult {
  const line = output.trim().split('\n').at(-1) ?? '';
  try {
    return loadResultSchema.parse(JSON.parse(line));
  } catch {
    throw new Error(`the load generator printed no result: ${output.slice(-2_000)}`);
  }
}
