import { z } from 'zod';
import { isIpOrCidr } from '../ip-allowlist.js';
import { timestampSchema, wireInt } from '../wire/scalars.js';
import { jsonObject, modelNameSchema, storedJsonObject, storedText } from '../wire/text.js';
import { wireObject, withoutNulls } from '../wire/wire-object.js';
import { NAMES_MAX } from './limits.js';

/** SHA-256 of the plaintext key, lower-case hex. */
const tokenHashSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
  .transform((hash) => hash.toLowerCase());

const ADDITIVE = ['project_id', 'domain', 'owner', 'attributes'] as const;

/** Whose key it is; travels so that limits and records can name it. */
const ownership = {
  project_id: storedText(255).nullish(),
  domain: storedText(255).nullish(),
  owner: storedText(255).nullish(),
  attributes: jsonObject.nullish(),
};

/** What a key may do, as it is read; who writes it is held to narrower bounds. */
const terms = {
  allowed_models: z.array(z.string()).default([]),
  expires_at: timestampSchema.nullable().default(null),
  /** Requests per minute and node. */
  rate_limit: wireInt.nullable().default(null),
  allowed_client_ips: z.array(z.string()).nullable().default(null),
  ...ownership,
};

const keyObject = wireObject(
  { key_id: z.string().min(1), token_hash: tokenHashSchema, ...terms },
  { omitNull: ADDITIVE },
);
/** A model API key as routers get it: hash only. */
export type ModelApiKey = z.output<typeof keyObject>;

/** Keys in wire order, no null additive fields. */
export function canonicalKey(key: ModelApiKey): ModelApiKey {
  const { key_id, token_hash, allowed_models, expires_at, rate_limit, allowed_client_ips } = key;
  const { project_id, domain, owner, attributes } = key;
  const stock = { key_id, token_hash, allowed_models, expires_at, rate_limit, allowed_client_ips };
  return withoutNulls({ ...stock, project_id, domain, owner, attributes }, ADDITIVE);
}

export const modelApiKeySchema = keyObject.transform(canonicalKey);

/** `PUT /v2/routers/{authority}/api-keys/{key_id}`: full state, also for rotation. */
export const putKeyBodySchema = wireObject(
  {
    token_hash: tokenHashSchema,
    display_hint: storedText(64).nullable().default(null),
    allowed_models: z.array(modelNameSchema).max(NAMES_MAX).default([]),
    expires_at: timestampSchema.nullable().default(null),
    rate_limit: wireInt.pipe(z.number().min(1).max(1_000_000_000)).nullable().default(null),
    allowed_client_ips: z
      .array(storedText(64).refine(isIpOrCidr, 'expected an IP address or CIDR'))
      .max(NAMES_MAX)
      .nullable()
      .default(null),
    ...ownership,
    attributes: storedJsonObject.nullish(),
  },
  { omitNull: ADDITIVE },
);
export type PutKeyBody = z.output<typeof putKeyBodySchema>;

/** A key in a listing: the hint instead of the hash. */
export const listedKeySchema = wireObject(
  { key_id: z.string(), display_hint: z.string().nullable().default(null), ...terms },
  { omitNull: ADDITIVE },
);
export type ListedKey = z.output<typeof listedKeySchema>;
