import type { AckKind, AppProxyEvent, Circuit } from '@penstock/protocol';
import type { DesiredState } from './desired-state.js';

/** Who acknowledges. */
export interface AckIdentity {
  readonly authority: string;
  readonly nodeId: string;
}

/**
 * The acknowledgement an applied event is answered with; null for events nobody waits for. The revision of the event
 * is echoed, so that a waiter can tell acknowledgements of two changes of one entity apart.
 */
export function acknowledgementOf(event: AppProxyEvent, who: AckIdentity): AppProxyEvent | null {
  const config = (kind: AckKind, id: string, revision: string | null | undefined): AppProxyEvent => ({
    name: 'appproxy_worker_router_config_applied_event',
    authority: who.authority,
    node_id: who.nodeId,
    kind,
    id,
    ...(revision == null ? {} : { revision }),
  });
  switch (event.name) {
    case 'appproxy_circuit_created_event':
      return {
        name: 'appproxy_worker_circuit_added_event',
        authority: who.authority,
        circuits: event.circuits,
      };
    case 'appproxy_circuit_route_updated_event':
      return routesAcknowledged(event.circuit, who);
    case 'appproxy_router_model_updated_event':
      return config('model_updated', event.model.model, event.revision);
    case 'appproxy_router_model_removed_event':
      return config('model_removed', event.model_name, event.revision);
    case 'appproxy_router_key_updated_event':
      return config('key_updated', event.key_id, event.revision);
    case 'appproxy_router_key_removed_event':
      return config('key_removed', event.key_id, event.revision);
    default:
      return null;
  }
}

/**
 * Peers send route updates and wait for nobody; a coordinator that gives circuits a version may wait for the one it
 * sent. The routes are left out, because only ids and versions are looked at and pushes repeat every few seconds.
 */
function routesAcknowledged(circuit: Circuit, who: AckIdentity): AppProxyEvent | null {
  if (circuit.version == null) return null;
  return {
    name: 'appproxy_worker_circuit_added_event',
    authority: who.authority,
    circuits: [{ ...circuit, route_info: [] }],
  };
}

/**
 * Whether a state that was pulled after the event holds what the event says. Only then may it be acknowledged: an
 * acknowledged removal is a proof that this node refuses the key.
 */
export function isSatisfied(state: DesiredState, event: AppProxyEvent): boolean {
  switch (event.name) {
    case 'appproxy_circuit_created_event':
      return event.circuits.every((circuit) => state.circuits.has(circuit.id));
    case 'appproxy_circuit_route_updated_event':
      return (state.circuits.get(event.circuit.id)?.version ?? 0) >= (event.circuit.version ?? Infinity);
    case 'appproxy_router_key_removed_event':
      return !state.keys.has(event.key_id);
    case 'appproxy_router_model_removed_event':
      return !state.publications.has(event.model_name);
    case 'appproxy_router_key_updated_event':
    case 'appproxy_router_model_updated_event':
      return true;
    default:
      return false;
  }
}
