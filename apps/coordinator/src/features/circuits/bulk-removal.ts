import { uuidSchema } from '@penstock/protocol';
import { z } from 'zod';

const IDS_MAX = 10_000;

/** A list, or one string with commas; both are in use. */
function toList(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  return input.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

export const bulkRemovalSchema = z.object({
  circuit_ids: z.preprocess(toList, z.array(uuidSchema).max(IDS_MAX)),
});
