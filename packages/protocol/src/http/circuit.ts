import { z } from 'zod';
import { toOpenToPublic, visibilitySchema, type CircuitAccess } from '../access/visibility.js';
import { appModeSchema, frontendModeSchema, proxyProtocolSchema } from '../enums.js';
import { timestampSchema, uuidSchema, wireBool, wireInt } from '../wire/scalars.js';
import { jsonObject } from '../wire/text.js';
import { wireObject, withoutNulls } from '../wire/wire-object.js';
import { circuitReplicaGroupSchema } from './replica-group.js';
import { canonicalRoute, routeInfoSchema } from './route-info.js';

const ADDITIVE = [
  'version',
  'served_model',
  'capabilities',
  'policy',
  'visibility',
  'requires_token',
] as const;

const circuitObject = wireObject(
  {
    id: uuidSchema,
    app: z.string(),
    protocol: proxyProtocolSchema,
    worker: uuidSchema,
    app_mode: appModeSchema,
    frontend_mode: frontendModeSchema,
    envs: jsonObject,
    arguments: z.string().max(1000).nullable(),
    /** True means no credential is needed. ROUTER mode ignores it. */
    open_to_public: wireBool,
    allowed_client_ips: z.string().nullable().default(null),
    port: wireInt.nullable().default(null),
    subdomain: z.string().max(255).nullable().default(null),
    user_id: uuidSchema.nullable().default(null),
    endpoint_id: uuidSchema.nullable().default(null),
    runtime_variant: z.string().nullable().default(null),
    route_info: z.array(routeInfoSchema),
    session_ids: z.array(uuidSchema),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    replica_groups: z.array(circuitReplicaGroupSchema).nullish(),
    /** Grows with every change of the circuit; a reader that has seen a greater one ignores the message. */
    version: wireInt.nullish(),
    /** Name the replicas expect in the body; absent = ask the replica. */
    served_model: z.string().max(1024).nullish(),
    capabilities: z.array(z.string().max(64)).max(64).nullish(),
    policy: jsonObject.nullish(),
    /** Written for internal circuits only, so that peers see public ones as ever. */
    visibility: visibilitySchema.nullish(),
    requires_token: wireBool.nullish(),
  },
  { omitNull: [...ADDITIVE, 'replica_groups'] },
);

/** A circuit with its routes: the REST snapshot and the event payload. */
export type Circuit = z.output<typeof circuitObject>;

/** A circuit that was read: it says who may reach it, whichever spelling it came in. */
export type DecodedCircuit = Circuit & CircuitAccess;

/** Who may reach a circuit. The new fields win over the old flag; internal without a word on tokens needs one. */
export function circuitAccess(circuit: Pick<Circuit, 'open_to_public' | keyof CircuitAccess>): CircuitAccess {
  const visibility = circuit.visibility ?? 'public';
  const isOpen = circuit.open_to_public && visibility === 'public';
  return { visibility, requires_token: circuit.requires_token ?? !isOpen };
}

/**
 * The bytes-compatible form: keys in wire order, additive fields only when they say something, and the group fields
 * always for routers but, as in stock releases, only when set for the others.
 */
export function canonicalCircuit(circuit: Circuit): Circuit {
  const { replica_groups = null, version, served_model, capabilities, policy, ...others } = circuit;
  const { visibility, requires_token, ...rest } = { ...others, ...circuitAccess(circuit) };
  const routes = rest.route_info.map((route) => canonicalRoute(route, rest.frontend_mode));
  const groups = rest.frontend_mode === 'router' || replica_groups !== null ? { replica_groups } : {};
  return withoutNulls(
    {
      ...rest,
      open_to_public: toOpenToPublic(visibility, requires_token),
      route_info: routes,
      ...groups,
      ...{ version, served_model, capabilities, policy },
      ...(visibility === 'internal' ? { visibility, requires_token } : {}),
    },
    ADDITIVE,
  );
}

export const circuitSchema = circuitObject.transform((circuit): DecodedCircuit => {
  const canonical = canonicalCircuit(circuit);
  return { ...canonical, ...circuitAccess(canonical) };
});

/** `GET /api/worker/{id}/circuits`. */
export const circuitsResponseSchema = wireObject({ circuits: z.array(circuitSchema) });
export interface CircuitsResponse {
  readonly circuits: readonly Circuit[];
}
