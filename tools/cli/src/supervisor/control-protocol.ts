import { z } from 'zod';

/** One request per connection, as a line of JSON. */
export const controlRequestSchema = z.discriminatedUnion('command', [
  z.object({ command: z.literal('stop') }),
  z.object({
    command: z.literal('service'),
    action: z.enum(['start', 'stop', 'restart']),
    name: z.string().max(100),
  }),
]);
export type ControlRequest = z.infer<typeof controlRequestSchema>;

/** Any number of progress lines, then one result. */
export const controlReplySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), line: z.string() }),
  z.object({ kind: z.literal('done') }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type ControlReply = z.infer<typeof controlReplySchema>;
