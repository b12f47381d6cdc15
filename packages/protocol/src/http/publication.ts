import { z } from 'zod';
import { controlModeSchema } from '../enums.js';
import { uuidSchema, wireNumber, wireWeight } from '../wire/scalars.js';
import { jsonObject, modelNameSchema, storedJsonObject } from '../wire/text.js';
import { wireObject, withoutNulls } from '../wire/wire-object.js';
import { MAPPINGS_MAX, NAMES_MAX } from './limits.js';

/** `ratio` is a relative weight: 0 drains, and the sum need not be 1. Readers sanitise it. */
export const publicationMappingSchema = wireObject({ endpoint_id: uuidSchema, ratio: wireNumber.default(1) });
export type PublicationMapping = z.output<typeof publicationMappingSchema>;

const publicationObject = wireObject(
  {
    model: z.string(),
    aliases: z.array(z.string()).default([]),
    mappings: z.array(publicationMappingSchema).default([]),
    /** Kept for tooling only, so a value of a later release does not cost the publication. */
    control_mode: z
      .string()
      .transform((mode) => mode.replaceAll('-', '_'))
      .default('manual'),
    policy: jsonObject.nullish(),
  },
  { omitNull: ['policy'] },
);
/** What one model name and its aliases route to. */
export type Publication = z.output<typeof publicationObject>;

/** Keys in wire order, no null `policy`. */
export function canonicalPublication(publication: Publication): Publication {
  const { model, aliases, mappings, control_mode, policy } = publication;
  const pairs = mappings.map(({ endpoint_id, ratio }) => ({ endpoint_id, ratio }));
  return withoutNulls({ model, aliases, mappings: pairs, control_mode, policy }, ['policy']);
}

export const publicationSchema = publicationObject.transform(canonicalPublication);

/** `PUT /v2/routers/{authority}/models/{model}`: full state; the name is in the path. Repeated aliases count once. */
export const putModelBodySchema = wireObject(
  {
    aliases: z
      .array(modelNameSchema)
      .max(NAMES_MAX)
      .transform((names) => [...new Set(names)])
      .default([]),
    mappings: z
      .array(wireObject({ endpoint_id: uuidSchema, ratio: wireWeight.default(1) }))
      .max(MAPPINGS_MAX)
      .default([]),
    control_mode: controlModeSchema.default('manual'),
    policy: storedJsonObject.nullish(),
  },
  { omitNull: ['policy'] },
).superRefine(({ mappings }, context) => {
  const seen = new Set<string>();
  mappings.forEach(({ endpoint_id }, index) => {
    if (seen.has(endpoint_id))
      context.addIssue({
        code: 'custom',
        path: ['mappings', index, 'endpoint_id'],
        message: 'endpoint is mapped twice',
      });
    seen.add(endpoint_id);
  });
});
export type PutModelBody = z.output<typeof putModelBodySchema>;
