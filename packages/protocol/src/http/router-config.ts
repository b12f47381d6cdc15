import { z } from 'zod';
import { revisionSchema } from '../wire/scalars.js';
import { wireObject } from '../wire/wire-object.js';
import { modelApiKeySchema } from './model-api-key.js';
import { publicationSchema } from './publication.js';

const LISTS = { aliases: { models: ['publications'], api_keys: ['keys'] } };

/** `GET /api/worker/{id}/router-config`: all publications and keys of an authority under one revision. */
export const routerConfigSchema = wireObject(
  {
    revision: revisionSchema,
    models: z.array(publicationSchema),
    api_keys: z.array(modelApiKeySchema),
  },
  LISTS,
);
export type RouterConfig = z.output<typeof routerConfigSchema>;

/** The same with its entries unread, for those who read long lists entry by entry. */
export const routerConfigOutlineSchema = wireObject(
  {
    revision: revisionSchema,
    models: z.array(z.unknown()),
    api_keys: z.array(z.unknown()),
  },
  LISTS,
);

/** Query of the conditional pull; anything unreadable simply does not match. */
export const routerConfigQuerySchema = wireObject({ known_revision: z.string().nullable().default(null) });

/** Strong validator of a revision. */
export function revisionEtag(revision: string): string {
  return `"${revision}"`;
}

/** Whether an `If-None-Match` header names the revision; weak validators and lists count, `*` does not. */
export function etagMatches(ifNoneMatch: string | undefined, revision: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === revisionEtag(revision));
}
