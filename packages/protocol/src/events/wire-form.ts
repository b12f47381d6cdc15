import { canonicalCircuit, type Circuit } from '../http/circuit.js';
import { canonicalPublication } from '../http/publication.js';
import { canonicalRoute } from '../http/route-info.js';
import { EVENT_NAMES, type AppProxyEvent } from './event.js';

/** An event as both bodies of an envelope: the positional tuple and the named payload. */
export interface WireForm {
  readonly args: readonly string[];
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The wire form of any event. `revision` rides in the payload only, because tuples have a fixed length. */
export function toWireForm(event: AppProxyEvent): WireForm {
  switch (event.name) {
    case EVENT_NAMES.circuitCreated:
    case EVENT_NAMES.circuitRemoved:
    case EVENT_NAMES.workerCircuitAdded:
      return circuitList(event.authority, event.circuits);
    case EVENT_NAMES.circuitRouteUpdated: {
      const circuit = canonicalCircuit(event.circuit);
      const routes = event.routes.map((route) => canonicalRoute(route, circuit.frontend_mode));
      return {
        args: [event.authority, JSON.stringify(circuit), JSON.stringify(routes)],
        payload: { target_worker_authority: event.authority, circuit, routes },
      };
    }
    case EVENT_NAMES.routerModelUpdated: {
      const model = canonicalPublication(event.model);
      return routerChange(event, [JSON.stringify(model)], { model });
    }
    case EVENT_NAMES.routerModelRemoved:
      return routerChange(event, [event.model_name], { model_name: event.model_name });
    case EVENT_NAMES.routerKeyUpdated:
    case EVENT_NAMES.routerKeyRemoved:
      return routerChange(event, [event.key_id], { key_id: event.key_id });
    case EVENT_NAMES.routerConfigApplied: {
      const { node_id, kind, id } = event;
      const args = node_id === null ? [kind, id] : [node_id, kind, id];
      return routerChange(event, args, { node_id, kind, id });
    }
  }
}

function circuitList(authority: string, list: readonly Circuit[]): WireForm {
  const circuits = list.map(canonicalCircuit);
  return {
    args: [authority, JSON.stringify(circuits)],
    payload: { target_worker_authority: authority, circuits },
  };
}

/** Router events carry the authority under both names in use. */
function routerChange(
  { authority, revision }: { readonly authority: string; readonly revision?: string | undefined },
  args: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): WireForm {
  const tail = revision === undefined ? {} : { revision };
  return {
    args: [authority, ...args],
    payload: { authority, target_worker_authority: authority, ...fields, ...tail },
  };
}
