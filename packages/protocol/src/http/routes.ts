import { z } from 'zod';
import { hostSchema } from '../wire/host.js';
import { uuidSchema, wireBool, wirePort, wireWeight } from '../wire/scalars.js';
import { wireObject } from '../wire/wire-object.js';
import { DEPLOYMENT_ID_ALIASES, reported, REPORTED, servingFields } from './endpoints.js';
import { BULK_ITEMS_MAX, ROUTES_MAX } from './limits.js';
import { acceleratorsSchema } from './route-info.js';

/** One replica as the manager writes it. */
export const routeEntrySchema = wireObject(
  {
    session_id: uuidSchema,
    route_id: uuidSchema,
    kernel_host: hostSchema,
    kernel_port: wirePort,
    traffic_ratio: wireWeight.default(1),
    replica_group_id: uuidSchema.nullish(),
    kernel_id: uuidSchema.nullish(),
    accelerators: acceleratorsSchema.nullish(),
  },
  { omitNull: ['replica_group_id', 'kernel_id', 'accelerators'] },
);
export type RouteEntry = z.output<typeof routeEntrySchema>;

/** One item of a replace (the full table) or register (an addition) call. */
export const routesItemSchema = wireObject(
  { deployment_id: uuidSchema, routes: z.array(routeEntrySchema).max(ROUTES_MAX), ...servingFields },
  { aliases: DEPLOYMENT_ID_ALIASES },
);
export type RoutesItem = z.output<typeof routesItemSchema>;

export const bulkRoutesRequestSchema = wireObject({
  endpoints: z.array(routesItemSchema).max(BULK_ITEMS_MAX),
});
export type BulkRoutesRequest = z.output<typeof bulkRoutesRequestSchema>;

export const unregisterItemSchema = wireObject(
  { deployment_id: uuidSchema, route_ids: z.array(uuidSchema).max(ROUTES_MAX) },
  { aliases: DEPLOYMENT_ID_ALIASES },
);
export type UnregisterItem = z.output<typeof unregisterItemSchema>;

export const bulkUnregisterRequestSchema = wireObject({
  endpoints: z.array(unregisterItemSchema).max(BULK_ITEMS_MAX),
});
export type BulkUnregisterRequest = z.output<typeof bulkUnregisterRequestSchema>;

export const registerOutcomeSchema = wireObject(
  {
    deployment_id: uuidSchema,
    success: wireBool,
    registered_route_ids: z.array(uuidSchema).default([]),
    already_registered_route_ids: z.array(uuidSchema).default([]),
    error: z.string().nullable().default(null),
    ...reported,
  },
  REPORTED,
);
export type RegisterOutcome = z.output<typeof registerOutcomeSchema>;

export const bulkRegisterResponseSchema = wireObject({ endpoints: z.array(registerOutcomeSchema) });
export type BulkRegisterResponse = z.output<typeof bulkRegisterResponseSchema>;

export const unregisterOutcomeSchema = wireObject(
  {
    deployment_id: uuidSchema,
    success: wireBool,
    unregistered_route_ids: z.array(uuidSchema).default([]),
    already_absent_route_ids: z.array(uuidSchema).default([]),
    error: z.string().nullable().default(null),
    ...reported,
  },
  REPORTED,
);
export type UnregisterOutcome = z.output<typeof unregisterOutcomeSchema>;

export const bulkUnregisterResponseSchema = wireObject({ endpoints: z.array(unregisterOutcomeSchema) });
export type BulkUnregisterResponse = z.output<typeof bulkUnregisterResponseSchema>;
