import type { Circuit } from '../http/circuit.js';
import type { Publication } from '../http/publication.js';
import type { RouteInfo } from '../http/route-info.js';

/** Pub/Sub channel that all AppProxy peers share. */
export const EVENT_CHANNEL = 'events_all-appproxy';

/** Values of an envelope's `source`. Informational: nobody routes on it. */
export const EVENT_SOURCES = { coordinator: 'appproxy-coordinator', worker: 'appproxy-worker' } as const;

export const EVENT_NAMES = {
  circuitCreated: 'appproxy_circuit_created_event',
  circuitRouteUpdated: 'appproxy_circuit_route_updated_event',
  circuitRemoved: 'appproxy_circuit_removed_event',
  workerCircuitAdded: 'appproxy_worker_circuit_added_event',
  routerModelUpdated: 'appproxy_router_model_updated_event',
  routerModelRemoved: 'appproxy_router_model_removed_event',
  routerKeyUpdated: 'appproxy_router_key_updated_event',
  routerKeyRemoved: 'appproxy_router_key_removed_event',
  routerConfigApplied: 'appproxy_worker_router_config_applied_event',
} as const;

/** Ack kinds we send; the coarse `model` and `key` are read as well. */
export type AckKind = 'model_updated' | 'model_removed' | 'key_updated' | 'key_removed' | 'model' | 'key';

interface CircuitList {
  readonly authority: string;
  readonly circuits: readonly Circuit[];
}

interface Revisioned {
  readonly authority: string;
  /** Revision the change was committed as. Additive: absent when a stock peer or a tuple-only envelope carried it. */
  readonly revision?: string | undefined;
}

export interface CircuitCreated extends CircuitList {
  readonly name: typeof EVENT_NAMES.circuitCreated;
}

export interface CircuitRemoved extends CircuitList {
  readonly name: typeof EVENT_NAMES.circuitRemoved;
}

/** Ack of circuit creation; it echoes the circuits. */
export interface WorkerCircuitAdded extends CircuitList {
  readonly name: typeof EVENT_NAMES.workerCircuitAdded;
}

/** Full replacement of one circuit's routes: `routes` counts, not `circuit.route_info`. */
export interface CircuitRouteUpdated {
  readonly name: typeof EVENT_NAMES.circuitRouteUpdated;
  readonly authority: string;
  readonly circuit: Circuit;
  readonly routes: readonly RouteInfo[];
}

export interface RouterModelUpdated extends Revisioned {
  readonly name: typeof EVENT_NAMES.routerModelUpdated;
  readonly model: Publication;
}

export interface RouterModelRemoved extends Revisioned {
  readonly name: typeof EVENT_NAMES.routerModelRemoved;
  /** Primary name. */
  readonly model_name: string;
}

/** A hint to pull: no hash ever travels on the bus. */
export interface RouterKeyUpdated extends Revisioned {
  readonly name: typeof EVENT_NAMES.routerKeyUpdated;
  readonly key_id: string;
}

export interface RouterKeyRemoved extends Revisioned {
  readonly name: typeof EVENT_NAMES.routerKeyRemoved;
  readonly key_id: string;
}

/** Ack of one node for one applied change. */
export interface RouterConfigApplied extends Revisioned {
  readonly name: typeof EVENT_NAMES.routerConfigApplied;
  /** Null in the three-element form of an early draft: good for a first ack, not for proof. */
  readonly node_id: string | null;
  readonly kind: AckKind;
  /** Primary model name or key id. */
  readonly id: string;
}

export type AppProxyEvent =
  | CircuitCreated
  | CircuitRouteUpdated
  | CircuitRemoved
  | WorkerCircuitAdded
  | RouterModelUpdated
  | RouterModelRemoved
  | RouterKeyUpdated
  | RouterKeyRemoved
  | RouterConfigApplied;
