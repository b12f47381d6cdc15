import { z } from 'zod';
import { resolveVisibility, visibilitySchema } from '../access/visibility.js';
import { isIpOrCidr } from '../ip-allowlist.js';
import { timestampSchema, uuidSchema, wireBool } from '../wire/scalars.js';
import { authoritySchema, storedJsonObject, storedText } from '../wire/text.js';
import { wireObject } from '../wire/wire-object.js';
import { circuitPropagationSchema } from './circuit-propagation.js';
import { healthCheckSchema } from './health-check.js';
import { BULK_ITEMS_MAX } from './limits.js';
import { replicaGroupSchema } from './replica-group.js';

/** Older managers say `endpoint_id`. */
export const DEPLOYMENT_ID_ALIASES = { deployment_id: ['endpoint-id', 'endpoint_id'] };

const tagsSchema = wireObject({
  session: wireObject(
    {
      user_uuid: storedText(255),
      project_id: storedText(255),
      domain_name: storedText(255),
    },
    { aliases: { project_id: ['group-id', 'group_id'] } },
  ),
  endpoint: wireObject({
    id: storedText(255),
    runtime_variant: storedText(255).nullable().default(null),
    existing_url: storedText(2048).nullable().default(null),
  }),
});

/** Addresses and networks, separated by commas; empty entries say nothing. */
export const clientIpsSchema = storedText(255).refine(
  (list) => list.split(',').every((entry) => entry.trim() === '' || isIpOrCidr(entry)),
  'expected addresses and networks, separated by commas',
);

/** Fields of ours that ride on endpoint and route calls. Absent = leave as it is; null = clear. */
export const servingFields = {
  /** Null is no wish: the same as absent. */
  visibility: visibilitySchema.nullish(),
  requires_token: wireBool.nullish(),
  allowed_client_ips: clientIpsSchema.nullish(),
  /** The endpoint that this one calls; null unbinds. */
  upstream_endpoint_id: uuidSchema.nullish(),
  replica_groups: z.array(replicaGroupSchema).max(1_000).nullish(),
  served_model: storedText(1024, 1).nullish(),
  capabilities: z.array(storedText(64, 1)).max(64).nullish(),
  policy: storedJsonObject.nullish(),
};

const endpointFields = {
  version: storedText(16).default('v2'),
  service_name: storedText(255),
  tags: tagsSchema,
  open_to_public: wireBool.default(false),
  health_check: healthCheckSchema.nullable().default(null),
  /** Pins the endpoint to one router authority; absent = the coordinator picks. */
  authority: authoritySchema.nullish(),
  ...servingFields,
};

/** The old flag and the new fields may both be there, but must not contradict each other. */
function refuseContradiction(item: Parameters<typeof resolveVisibility>[0], context: z.RefinementCtx): void {
  const access = resolveVisibility(item);
  if (!access.ok) context.addIssue({ code: 'custom', path: ['open_to_public'], message: access.reason });
}

/** `POST /v2/endpoints/{endpoint_id}`: the id is in the path. */
export const endpointBodySchema = wireObject(endpointFields).superRefine(refuseContradiction);
export type EndpointBody = z.output<typeof endpointBodySchema>;

/** One item of `POST /v2/endpoints/bulk`. */
export const endpointItemSchema = wireObject(
  { deployment_id: uuidSchema, ...endpointFields },
  { aliases: DEPLOYMENT_ID_ALIASES },
).superRefine(refuseContradiction);
export type EndpointItem = z.output<typeof endpointItemSchema>;

export const bulkCreateRequestSchema = wireObject({
  endpoints: z.array(endpointItemSchema).max(BULK_ITEMS_MAX),
});
export type BulkCreateRequest = z.output<typeof bulkCreateRequestSchema>;

/** Where the caller asked for it: what became of the announcement of the outcome's circuit. */
export const reported = { propagation: circuitPropagationSchema.nullish() };
export const REPORTED = { omitNull: ['propagation'] };

const createdEndpointSchema = wireObject(
  { deployment_id: uuidSchema, url: z.string(), health_check_enabled: wireBool, ...reported },
  REPORTED,
);

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
export const bulkOutcomeSchema = wireObject(
  { deployment_id: uuidSchema, success: wireBool, error: z.string().nullable().default(null), ...reported },
  REPORTED,
);
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
