import {
  type Circuit,
  circuitAccess,
  type ListedKey,
  type Publication,
  type PutKeyBody,
  type PutModelBody,
  type RouteEntry,
  type RouteInfo,
  type RoutesItem,
} from '@penstock/protocol';

import { sameJson } from './same-json.js';

/** Whether the coordinator's publication is what a push would write. */
export function publicationAgrees(wanted: PutModelBody, found: Publication): boolean {
  const { model: _name, ...content } = found;
  return sameJson(wanted, content);
}

/**
 * Whether a listed key is what a push would write. The hash is never listed: the hint stands in for it, and a push
 * that is owed is known from the key's own row.
 */
export function keyAgrees(wanted: PutKeyBody, found: ListedKey): boolean {
  const { token_hash: _hash, expires_at: wantedExpiry, ...content } = wanted;
  const { key_id: _id, expires_at: foundExpiry, ...listed } = found;
  return sameInstant(wantedExpiry, foundExpiry) && sameJson(content, listed);
}

/** Whether a circuit serves what a push would write. Routes are a set; groups and routes are found by id. */
export function circuitAgrees(wanted: RoutesItem, found: Circuit): boolean {
  return sameJson(wantedServing(wanted), foundServing(found));
}

function wantedServing(item: RoutesItem) {
  return {
    routes: byId(item.routes.map(servingRoute)),
    groups: byId(item.replica_groups ?? []),
    served_model: item.served_model,
    capabilities: item.capabilities ?? [],
    policy: item.policy,
    visibility: item.visibility,
    requires_token: item.requires_token,
    client_ips: item.allowed_client_ips || null,
  };
}

function foundServing(circuit: Circuit) {
  return {
    routes: byId(circuit.route_info.map(servingRoute)),
    groups: byId(circuit.replica_groups ?? []),
    served_model: circuit.served_model,
    capabilities: circuit.capabilities ?? [],
    policy: circuit.policy,
    ...circuitAccess(circuit),
    client_ips: circuit.allowed_client_ips || null,
  };
}

/** What of a route decides where requests go, whoever wrote it down. */
function servingRoute(route: RouteEntry | RouteInfo) {
  const { route_id, kernel_host, kernel_port, traffic_ratio, replica_group_id, accelerators } = route;
  return { id: route_id ?? '', kernel_host, kernel_port, traffic_ratio, replica_group_id, accelerators };
}

function byId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function sameInstant(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && Date.parse(a) === Date.parse(b));
}
