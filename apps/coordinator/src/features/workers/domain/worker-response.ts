import { toWireTimestamp, type NodeDetail, type WorkerResponse } from '@penstock/protocol';

import { listSlots, type SlotOccupant } from './slots.js';
import type { Worker } from './worker.js';

interface WorkerFacts {
  readonly nodes: number;
  readonly occupants: readonly SlotOccupant[];
  /** Only where one worker was asked for. */
  readonly nodeDetails?: readonly NodeDetail[];
}

/** A worker as every speaker of the wire reads it. Router circuits take no slots, so none are counted. */
export function toWorkerResponse(worker: Worker, facts: WorkerFacts): WorkerResponse {
  const isRouter = worker.frontendMode === 'router';
  return {
    authority: worker.authority,
    frontend_mode: worker.frontendMode,
    protocol: worker.protocol,
    hostname: worker.hostname,
    tls_listen: worker.tlsListen,
    tls_advertised: worker.tlsAdvertised,
    api_port: worker.apiPort,
    port_range: worker.portRange ? [...worker.portRange] : null,
    wildcard_domain: worker.wildcardDomain,
    wildcard_traffic_port: worker.wildcardTrafficPort,
    filtered_apps_only: worker.filteredAppsOnly,
    traefik_last_used_marker_path: worker.traefikLastUsedMarkerPath,
    accepted_traffics: [...worker.acceptedTraffics],
    id: worker.id,
    created_at: toWireTimestamp(worker.createdAt),
    updated_at: toWireTimestamp(worker.updatedAt),
    available_slots: worker.availableSlots,
    occupied_slots: isRouter ? 0 : facts.occupants.length,
    nodes: facts.nodes,
    slots: listSlots(worker, facts.occupants),
    ...(isRouter && { traffic_port: worker.trafficPort ?? worker.apiPort }),
    ...(worker.internalFrontend && { internal_frontend: worker.internalFrontend }),
    ...(facts.nodeDetails && { node_details: [...facts.nodeDetails] }),
  };
}
