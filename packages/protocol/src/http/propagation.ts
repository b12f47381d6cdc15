import { z } from 'zod';
import { revisionSchema, wireInt } from '../wire/scalars.js';
import { jsonObject } from '../wire/text.js';
import { wireObject } from '../wire/wire-object.js';
import { listedKeySchema } from './model-api-key.js';
import { publicationSchema } from './publication.js';

/** How far a change had got when its call returned. `deferred` = committed, and the pull timer will carry it. */
export const propagationSchema = wireObject({
  status: z.enum(['applied', 'deferred', 'unchanged']),
  revision: revisionSchema,
  first_ack_node: z.string().nullable().default(null),
  waited_ms: wireInt,
});
export type Propagation = z.output<typeof propagationSchema>;

/** Who acknowledged a removal. `confirmed` needs a non-empty live set and an ack of each of its nodes. */
export const strictResultSchema = wireObject({
  confirmed: z.boolean(),
  confirmed_nodes: z.array(z.string()),
  unconfirmed_nodes: z.array(z.string()),
});
export type StrictResult = z.output<typeof strictResultSchema>;

export const listModelsResponseSchema = wireObject({
  authority: z.string(),
  revision: revisionSchema,
  models: z.array(publicationSchema),
});
export type ListModelsResponse = z.output<typeof listModelsResponseSchema>;

export const listKeysResponseSchema = wireObject({
  authority: z.string(),
  revision: revisionSchema,
  api_keys: z.array(listedKeySchema),
});
export type ListKeysResponse = z.output<typeof listKeysResponseSchema>;

export const putModelResponseSchema = wireObject({
  model: publicationSchema,
  propagation: propagationSchema,
});
export type PutModelResponse = z.output<typeof putModelResponseSchema>;

export const putKeyResponseSchema = wireObject({ key_id: z.string(), propagation: propagationSchema });
export type PutKeyResponse = z.output<typeof putKeyResponseSchema>;

/** `strict` only where the caller asked for proof. */
export const deleteResponseSchema = wireObject(
  { success: z.boolean(), propagation: propagationSchema, strict: strictResultSchema.nullish() },
  { omitNull: ['strict'] },
);
export type DeleteResponse = z.output<typeof deleteResponseSchema>;

/** Body of an error answer, as far as a client needs it. */
export const wireErrorBodySchema = wireObject({
  type: z.string(),
  title: z.string(),
  error_code: z.string().optional(),
  msg: z.string().nullish(),
  data: z.union([jsonObject, z.string(), z.array(z.unknown())]).nullish(),
});
export type WireErrorBody = z.output<typeof wireErrorBodySchema>;
