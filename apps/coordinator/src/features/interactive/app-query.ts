import {
  clientIpsSchema,
  proxyProtocolSchema,
  storedJsonObject,
  storedText,
  uuidSchema,
  wireBool,
  wireInt,
} from '@penstock/protocol';
import { z } from 'zod';

const REDIRECT_LENGTH_MAX = 2_048;

/** Query strings have no null: an empty value says the same. */
function emptyIsNull(input: unknown): unknown {
  return input === '' ? null : input;
}

function fromJson(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return input === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess(emptyIsNull, schema.nullable().default(null));

const appFields = {
  app: storedText(255, 1),
  protocol: proxyProtocolSchema,
  /** A JSON object as text; stock coordinators refuse it in any form. */
  envs: z.preprocess(
    fromJson,
    storedJsonObject.pipe(z.record(z.string(), z.union([z.string(), z.int(), z.null()]))).default({}),
  ),
  args: storedText(1_000).nullable().default(null),
  open_to_public: wireBool.default(false),
  allowed_client_ips: optional(clientIpsSchema),
  /** Path on the app where the user ends up. */
  redirect: storedText(REDIRECT_LENGTH_MAX).default(''),
  no_reuse: wireBool.default(false),
  /** A wish, heeded by port workers. */
  port: optional(wireInt),
  /** A wish, heeded by wildcard workers. */
  subdomain: optional(storedText(255)),
};

/** `GET /v2/proxy/{token}/{session_id}/add`. */
export const appQuerySchema = z.object(appFields);

/** `GET /v2/proxy/auth`. */
export const openAppQuerySchema = z.object({ ...appFields, token: uuidSchema, session_id: uuidSchema });
export type OpenAppQuery = z.output<typeof openAppQuerySchema>;
