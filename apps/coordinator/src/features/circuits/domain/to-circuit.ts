import {
  canonicalCircuit,
  toWireTimestamp,
  type Circuit,
  type CircuitAccess,
  type ReplicaGroup,
  type RouteInfo,
} from '@penstock/protocol';

import type { AddressedCircuit } from '../../placement/index.js';

/** A circuit as stored; the JSON columns hold what was validated when it was written. */
export interface StoredCircuit {
  readonly id: string;
  readonly version: number;
  readonly app: string;
  readonly protocol: string;
  readonly workerId: string;
  readonly appMode: string;
  readonly frontendMode: string;
  readonly envs: unknown;
  readonly arguments: string | null;
  readonly openToPublic: boolean;
  readonly visibility: string;
  readonly requiresToken: boolean;
  readonly allowedClientIps: string | null;
  readonly port: number | null;
  readonly subdomain: string | null;
  readonly userId: string | null;
  readonly endpointId: string | null;
  readonly runtimeVariant: string | null;
  readonly routeInfo: unknown;
  readonly sessionIds: string[];
  readonly replicaGroups: unknown;
  readonly servedModel: string | null;
  readonly capabilities: unknown;
  readonly policy: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The wire form of a stored circuit. */
export function toCircuit(row: StoredCircuit): Circuit {
  return canonicalCircuit({
    id: row.id,
    app: row.app,
    protocol: row.protocol as Circuit['protocol'],
    worker: row.workerId,
    app_mode: row.appMode as Circuit['app_mode'],
    frontend_mode: row.frontendMode as Circuit['frontend_mode'],
    envs: row.envs as Circuit['envs'],
    arguments: row.arguments,
    open_to_public: row.openToPublic,
    allowed_client_ips: row.allowedClientIps,
    port: row.port,
    subdomain: row.subdomain,
    user_id: row.userId,
    endpoint_id: row.endpointId,
    runtime_variant: row.runtimeVariant,
    route_info: row.routeInfo as RouteInfo[],
    session_ids: row.sessionIds,
    created_at: toWireTimestamp(row.createdAt),
    updated_at: toWireTimestamp(row.updatedAt),
    replica_groups: row.replicaGroups as ReplicaGroup[] | null,
    version: row.version,
    served_model: row.servedModel,
    capabilities: row.capabilities as string[] | null,
    policy: row.policy as Record<string, unknown> | null,
    ...toAccess(row),
  });
}

/** Rows of earlier releases know `open_to_public` alone, so of a public circuit that is what counts. */
export function toAccess(
  row: Pick<StoredCircuit, 'openToPublic' | 'visibility' | 'requiresToken'>,
): CircuitAccess {
  return row.visibility === 'internal'
    ? { visibility: 'internal', requires_token: row.requiresToken }
    : { visibility: 'public', requires_token: !row.openToPublic };
}

/** What the address of a stored circuit is made of. */
export function toAddressed(row: StoredCircuit): AddressedCircuit {
  return {
    protocol: row.protocol as Circuit['protocol'],
    frontendMode: row.frontendMode as Circuit['frontend_mode'],
    visibility: toAccess(row).visibility,
    port: row.port,
    subdomain: row.subdomain,
  };
}
