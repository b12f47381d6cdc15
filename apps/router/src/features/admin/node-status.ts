import type { ControlStatus } from '../control/index.js';
import type { GroupView } from '../ingress/index.js';
import type { Snapshot } from '../snapshot/index.js';

/** What stays the same as long as a process runs. */
export interface NodeFacts {
  /** Wire id: new with every process start. */
  readonly nodeId: string;
  /** `<authority>/<host>/<n>`: stable over restarts. */
  readonly slot: string;
  readonly instance: number;
  readonly authority: string;
  readonly version: string;
  readonly mode: string;
}

/** What changes. */
export interface NodeView {
  readonly ready: boolean;
  readonly draining: boolean;
  readonly snapshot: Snapshot | null;
  readonly control: ControlStatus;
  readonly inFlight: number;
  readonly groups: readonly GroupView[];
}

/** The document of `/status`. Names, counts and addresses only: no key, no hash, no secret. */
export function nodeStatus(facts: NodeFacts, view: NodeView) {
  return {
    node_id: facts.nodeId,
    boot_id: facts.nodeId,
    slot: facts.slot,
    instance: facts.instance,
    authority: facts.authority,
    version: facts.version,
    mode: facts.mode,
    pid: process.pid,
    ready: view.ready,
    draining: view.draining,
    revision: view.snapshot?.revision ?? null,
    counts: counts(view.snapshot),
    ...view.control,
    in_flight: view.inFlight,
    models: models(view.snapshot),
    hosts: hosts(view.snapshot),
    groups: view.groups,
  };
}

function counts(snapshot: Snapshot | null) {
  const publications = new Set(
    [...(snapshot?.modelsByName.values() ?? [])].map((route) => route.publication),
  );
  const groups = snapshot?.endpoints.flatMap((endpoint) => endpoint.groups) ?? [];
  return {
    publications: publications.size,
    keys: snapshot?.keysByHash.size ?? 0,
    circuits: snapshot?.endpoints.length ?? 0,
    replicas: groups.reduce((sum, group) => sum + group.replicas.length, 0),
  };
}

/** Endpoints that are called by a host of their own, on either listener. */
function hosts(snapshot: Snapshot | null) {
  const all = [...(snapshot?.publicHosts.values() ?? []), ...(snapshot?.internalHosts.values() ?? [])];
  return all.map((endpoint) => ({
    label: endpoint.label,
    circuit_id: endpoint.circuitId,
    endpoint_id: endpoint.endpointId,
    visibility: endpoint.visibility,
    requires_token: endpoint.requiresToken,
  }));
}

function models(snapshot: Snapshot | null) {
  return [...(snapshot?.modelsByName.values() ?? [])].map((route) => ({
    name: route.name,
    endpoints: route.endpoints.map(({ endpointId, ratio }) => ({ endpoint_id: endpointId, ratio })),
  }));
}
