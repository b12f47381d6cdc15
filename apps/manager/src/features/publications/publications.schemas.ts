import { z } from 'zod';

import {
  authorityInputSchema,
  filterTextSchema,
  idSchema,
  jsonObjectSchema,
  pageQueryShape,
  publicNameSchema,
} from '../listing/index.js';

const ALIASES_MAX = 256;
const MAPPINGS_MAX = 256;

/** Relative weight among the mappings of one publication; they need not sum to 1. 0 drains. */
const mappingSchema = z.strictObject({
  deployment_id: idSchema,
  ratio: z.number().min(0).max(1_000_000).default(1),
});
export type MappingInput = z.output<typeof mappingSchema>;

const aliasesSchema = z.array(publicNameSchema).max(ALIASES_MAX).superRefine(refuseRepeats);

const mappingsSchema = z
  .array(mappingSchema)
  .max(MAPPINGS_MAX)
  .superRefine((mappings, context) =>
    refuseRepeats(
      mappings.map(({ deployment_id }) => deployment_id),
      context,
      'deployment_id',
    ),
  );

/** The wire has the underscore; both spellings are read and the hyphen is kept. */
const controlModeInputSchema = z
  .enum(['manual', 'strategy-managed', 'strategy_managed'])
  .transform(toControlMode);

export const createPublicationSchema = z
  .strictObject({
    project_id: idSchema,
    name: publicNameSchema,
    aliases: aliasesSchema.default([]),
    mappings: mappingsSchema.default([]),
    control_mode: controlModeInputSchema.default('manual'),
    policy: jsonObjectSchema.nullable().default(null),
    authority: authorityInputSchema.optional(),
  })
  .superRefine(({ name, aliases }, context) => {
    const index = aliases.indexOf(name);
    if (index === -1) return;
    context.addIssue({ code: 'custom', path: ['aliases', index], message: 'This is the name itself.' });
  });
export type CreatePublication = z.output<typeof createPublicationSchema>;

/** The name is the identity: another name is another publication, or an alias. */
export const patchPublicationSchema = z.strictObject({
  aliases: aliasesSchema.optional(),
  mappings: mappingsSchema.optional(),
  control_mode: controlModeInputSchema.optional(),
  policy: jsonObjectSchema.nullable().optional(),
});
export type PatchPublication = z.output<typeof patchPublicationSchema>;

/** `name` finds a publication by its name or any alias. */
export const publicationQuerySchema = z.strictObject({
  ...pageQueryShape,
  project_id: idSchema.optional(),
  name: filterTextSchema(255),
  authority: filterTextSchema(255),
  deployment_id: idSchema.optional(),
});
export type PublicationQuery = z.output<typeof publicationQuerySchema>;

export const publicationSchema = z.object({
  id: z.string(),
  domain: z.string(),
  project_id: z.string(),
  authority: z.string(),
  name: z.string(),
  aliases: z.array(z.string()),
  mappings: z.array(z.object({ deployment_id: z.string(), ratio: z.number() })),
  control_mode: z.enum(['manual', 'strategy-managed']),
  policy: z.record(z.string(), z.unknown()).nullable(),
  created_user: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const publicationListSchema = z.object({
  items: z.array(publicationSchema),
  next_cursor: z.string().nullable(),
});

function toControlMode(text: string): 'manual' | 'strategy-managed' {
  return text === 'manual' ? 'manual' : 'strategy-managed';
}

function refuseRepeats(values: readonly string[], context: z.RefinementCtx, member?: string): void {
  const seen = new Set<string>();
  values.forEach((value, index) => {
    if (seen.has(value)) {
      const path = member === undefined ? [index] : [index, member];
      context.addIssue({ code: 'custom', path, message: 'This is listed twice.' });
    }
    seen.add(value);
  });
}
