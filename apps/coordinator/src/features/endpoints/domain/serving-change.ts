import { toOpenToPublic, type Circuit, type CircuitAccess, type RoutesItem } from '@penstock/protocol';

/** What a route call says beside the routes. Absent fields stay as they are, null clears. */
export type ServingFields = Pick<
  RoutesItem,
  | 'replica_groups'
  | 'served_model'
  | 'capabilities'
  | 'policy'
  | 'visibility'
  | 'requires_token'
  | 'allowed_client_ips'
>;

/** What the circuit becomes, but for its slot, and who may reach it then. */
export function applyServing(
  current: Circuit,
  access: CircuitAccess,
  wanted: ServingFields,
): { readonly circuit: Circuit; readonly access: CircuitAccess } {
  const { visibility, requires_token, ...content } = wanted;
  // Null is no wish here: a circuit always is one or the other.
  const next: CircuitAccess = {
    visibility: visibility ?? access.visibility,
    requires_token: requires_token ?? access.requires_token,
  };
  const open_to_public = toOpenToPublic(next.visibility, next.requires_token);
  return { circuit: { ...current, ...defined(content), ...next, open_to_public }, access: next };
}

/** What a route call can change; a call that changes none of it keeps the version. */
export function contentOf(circuit: Circuit): unknown {
  const { route_info, replica_groups = null, served_model = null, capabilities = null } = circuit;
  const { policy = null } = circuit;
  return { route_info, replica_groups, served_model, capabilities, policy, ...admission(circuit) };
}

/** What a stock worker takes from the announcement of a circuit only, not from one of its routes. */
export function admissionOf(circuit: Circuit): unknown {
  return admission(circuit);
}

function admission(circuit: Circuit) {
  const { open_to_public, allowed_client_ips, port, subdomain } = circuit;
  const { visibility = 'public', requires_token = !open_to_public } = circuit;
  return { open_to_public, allowed_client_ips, port, subdomain, visibility, requires_token };
}

function defined(fields: Omit<ServingFields, 'visibility' | 'requires_token'>): Partial<Circuit> {
  const { replica_groups, served_model, capabilities, policy, allowed_client_ips } = fields;
  const known = { replica_groups, served_model, capabilities, policy, allowed_client_ips };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}
