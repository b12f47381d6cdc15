import { z } from 'zod';
import { authoritySchema, jsonObject, timestampSchema, uuidSchema, wireBool } from '../wire/scalars.js';
import { wireObject } from '../wire/wire-object.js';
import { healthCheckSchema } from './health-check.js';
import { BULK_ITEMS_MAX } from './limits.js';
import { replicaGroupSchema } from './replica-group.js';

/** Older managers say `endpoint_id`. */
export const DEPLOYMENT_ID_ALIASES = { deployment_id: ['endpoint-id', 'endpoint_id'] };

const tagsSchema = wireObject({
  session: wireObject(
    {
      user_uuid: z.string().max(255),
      project_id: z.string().max(255),
      domain_name: z.string().max(255),
    },
    { aliases: { project_id: ['group-id', 'group_id'] } },
  ),
  endpoint: wireObject({
    id: z.string().max(255),
    runtime_variant: z.string().max(255).nullable().default(null),
    existing_url: z.string().max(2048).nullable().default(null),
  }),
});

/** Fields of ours that ride on endpoint and route calls. Absent = leave as it is; null = clear. */
export const servingFields = {
  replica_groups: z.array(replicaGroupSchema).max(1_000).nullish(),
  served_model: z.string().min(1).max(1024).nullish(),
  capabilities: z.array(z.string().min(1).max(64)).max(64).nullish(),
  policy: jsonObject.nullish(),
};

const endpointFields = {
  version: z.string().max(16).default('v2'),
  service_name: z.string().max(255),
  tags: tagsSchema,
  open_to_public: wireBool.default(false),
  health_check: healthCheckSchema.nullable().default(null),
  /** Pins the endpoint to one router authority; absent = the coordinator picks. */
  authority: authoritySchema.nullish(),
  ...servingFields,
};

/** `POST /v2/endpoints/{endpoint_id}`: the id is in the path. */
export const endpointBodySchema = wireObject(endpointFields);
export type EndpointBody = z.output<typeof endpointBodySchema>;

/** One item of `POST /v2/endpoints/bulk`. */
export const endpointItemSchema = wireObject(
  { deployment_id: uuidSchema, ...endpointFields },
  { aliases: DEPLOYMENT_ID_ALIASES },
);
export type EndpointItem = z.output<typeof endpointItemSchema>;

export const bulkCreateRequestSchema = wireObject({
  endpoints: z.array(endpointItemSchema).max(BULK_ITEMS_MAX),
});
export type BulkCreateRequest = z.output<typeof bulkCreateRequestSchema>;

const createdEndpointSchema = wireObject({
  deployment_id: uuidSchema,
  url: z.string(),
  health_check_enabled: wireBool,
});

export const bulkCreateResponseSchema = wireObject({ endpoints: z.array(createdEndpointSchema) });
export type BulkCreateResponse = z.output<typeof bulkCreateResponseSchema>;

export const createEndpointResponseSchema = wireObject({
  success: wireBool,
  endpoint: z.string(),
  health_check_enabled: wireBool,
});
export type CreateEndpointResponse = z.output<typeof createEndpointResponseSchema>;

export const bulkDeleteRequestSchema = wireObject({
  endpoints: z
    .array(wireObject({ deployment_id: uuidSchema }, { aliases: DEPLOYMENT_ID_ALIASES }))
    .max(BULK_ITEMS_MAX),
});
export type BulkDeleteRequest = z.output<typeof bulkDeleteRequestSchema>;

/** Outcome of one item of a bulk call; the call itself answers 200. */
export const bulkOutcomeSchema = wireObject({
  deployment_id: uuidSchema,
  success: wireBool,
  error: z.string().nullable().default(null),
});
export type BulkOutcome = z.output<typeof bulkOutcomeSchema>;

/** Answer of bulk delete and of a routes replace. */
export const bulkOutcomesResponseSchema = wireObject({ endpoints: z.array(bulkOutcomeSchema) });
export type BulkOutcomesResponse = z.output<typeof bulkOutcomesResponseSchema>;

/** `POST /v2/endpoints/{id}/token`. */
export const tokenRequestSchema = wireObject({ user_uuid: uuidSchema, exp: timestampSchema });
export type TokenRequest = z.output<typeof tokenRequestSchema>;

export const tokenResponseSchema = wireObject({ token: z.string() });
export type TokenResponse = z.output<typeof tokenResponseSchema>;

export const successResponseSchema = wireObject({ success: wireBool });
export type SuccessResponse = z.output<typeof successResponseSchema>;
