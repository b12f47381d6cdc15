import { z } from 'zod';
import { appModeSchema, frontendModeSchema, proxyProtocolSchema } from '../enums.js';
import { hostSchema } from '../wire/host.js';
import { revisionSchema, timestampSchema, uuidSchema, wireBool, wireInt, wirePort } from '../wire/scalars.js';
import { authoritySchema, storedText } from '../wire/text.js';
import { wireObject } from '../wire/wire-object.js';

/** The cluster-private listener of a worker, the only one on which internal circuits may exist. */
export const internalFrontendSchema = wireObject({
  host: hostSchema,
  port: wirePort,
  domain: storedText(1024, 1),
});
export type InternalFrontend = z.output<typeof internalFrontendSchema>;

/** Ephemeral id of one worker process; new with each start. */
export const nodeIdSchema = storedText(128, 1);

const placement = {
  port_range: z.tuple([wirePort, wirePort]).nullable().default(null),
  wildcard_domain: storedText(1024).nullable().default(null),
  wildcard_traffic_port: wirePort.nullable().default(null),
};

/** `PUT /api/worker`. A missing slot field of the stated mode is for the coordinator to refuse with its own error. */
export const workerRequestSchema = wireObject(
  {
    authority: authoritySchema,
    frontend_mode: frontendModeSchema,
    protocol: proxyProtocolSchema,
    hostname: hostSchema,
    tls_listen: wireBool,
    tls_advertised: wireBool,
    api_port: wirePort,
    ...placement,
    filtered_apps_only: wireBool,
    traefik_last_used_marker_path: storedText(1024).nullable().default(null),
    accepted_traffics: z.array(appModeSchema).max(16),
    app_filters: z
      .array(wireObject({ key: storedText(96), value: storedText(1024) }))
      .max(256)
      .default([]),
    traffic_port: wirePort.nullable().default(null),
    node_id: nodeIdSchema.nullable().default(null),
    internal_frontend: internalFrontendSchema.nullish(),
    /** Where this very node answers its administrators, `host:port`. */
    address: storedText(1024).nullish(),
    /** Software version of this node. */
    version: storedText(64).nullish(),
  },
  { omitNull: ['internal_frontend', 'address', 'version'] },
).superRefine((worker, context) => {
  if (worker.frontend_mode !== 'router') return;
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (worker.port_range !== null) refuse('port_range', 'a router has no port range');
  if (worker.wildcard_domain !== null) refuse('wildcard_domain', 'a router has no wildcard domain');
  if (worker.protocol !== 'http') refuse('protocol', 'a router serves http only');
  if (worker.accepted_traffics.some((traffic) => traffic !== 'inference') || !worker.accepted_traffics.length)
    refuse('accepted_traffics', 'a router serves inference only');
});
export type WorkerRequest = z.output<typeof workerRequestSchema>;

/** One process of an authority, as the coordinator saw it last. */
export const nodeDetailSchema = wireObject(
  {
    node_id: z.string(),
    address: z.string().nullable().default(null),
    version: z.string().nullable().default(null),
    registered_at: timestampSchema.nullable().default(null),
    last_seen: timestampSchema.nullable().default(null),
    status: z.string().default('alive'),
    /** Revision the node acknowledged last, when known. */
    revision: revisionSchema.nullish(),
  },
  { omitNull: ['revision'] },
);
export type NodeDetail = z.output<typeof nodeDetailSchema>;

export const slotSchema = wireObject({
  frontend_mode: frontendModeSchema,
  in_use: wireBool,
  port: wireInt.nullable().default(null),
  subdomain: z.string().nullable().default(null),
  circuit_id: uuidSchema.nullable().default(null),
});
export type Slot = z.output<typeof slotSchema>;

/** `GET /api/slots`. */
export const slotsResponseSchema = wireObject({ slots: z.array(slotSchema) });
export type SlotsResponse = z.output<typeof slotsResponseSchema>;

const workerResponseObject = wireObject(
  {
    authority: z.string(),
    frontend_mode: frontendModeSchema,
    protocol: proxyProtocolSchema,
    hostname: z.string(),
    tls_listen: wireBool,
    tls_advertised: wireBool,
    api_port: wireInt,
    port_range: z.tuple([wireInt, wireInt]).nullable().default(null),
    wildcard_domain: z.string().nullable().default(null),
    wildcard_traffic_port: wireInt.nullable().default(null),
    filtered_apps_only: wireBool,
    traefik_last_used_marker_path: z.string().nullable().default(null),
    accepted_traffics: z.array(appModeSchema),
    id: uuidSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
    available_slots: wireInt,
    occupied_slots: wireInt,
    /** An array is what the proposal text has in this place; the number of live nodes is what peers read. */
    nodes: z.union([wireInt, z.array(nodeDetailSchema)]),
    slots: z.array(slotSchema).default([]),
    traffic_port: wireInt.nullish(),
    internal_frontend: internalFrontendSchema.nullish(),
    node_details: z.array(nodeDetailSchema).nullish(),
  },
  { omitNull: ['traffic_port', 'internal_frontend', 'node_details'] },
);

/** A worker as the coordinator describes it. `node_details` only where one worker was asked for. */
export const workerResponseSchema = workerResponseObject.transform(({ nodes, ...worker }) =>
  typeof nodes === 'number'
    ? { ...worker, nodes }
    : { ...worker, nodes: nodes.length, node_details: worker.node_details ?? nodes },
);
export type WorkerResponse = z.output<typeof workerResponseSchema>;

/** `GET /api/worker`. */
export const workersResponseSchema = wireObject({ workers: z.array(workerResponseSchema) });
export type WorkersResponse = z.output<typeof workersResponseSchema>;

/** Body or query of heartbeat and deregistration; stock workers send neither. */
export const nodeReferenceSchema = wireObject(
  {
    node_id: nodeIdSchema.nullable().default(null),
    address: storedText(1024).nullish(),
    version: storedText(64).nullish(),
    revision: revisionSchema.nullish(),
  },
  { omitNull: ['address', 'version', 'revision'] },
);
export type NodeReference = z.output<typeof nodeReferenceSchema>;
