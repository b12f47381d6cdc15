import type { Circuit, CircuitPropagation } from '@penstock/protocol';

/** A circuit in one state of it. */
export interface CircuitVersion {
  readonly id: string;
  readonly version: number;
}

/** One node's word that it holds circuits. */
export interface CircuitAck {
  readonly circuits: readonly CircuitVersion[];
}

/** A node of another make echoes no version and acknowledges creations only, and every circuit is created as this. */
const FIRST_VERSION = 1;

export function toVersion({ id, version }: Pick<Circuit, 'id' | 'version'>): CircuitVersion {
  return { id, version: version ?? FIRST_VERSION };
}

/** A circuit in whatever state it was created or is announced anew. */
export function toCreation({ id }: Pick<Circuit, 'id'>): CircuitVersion {
  return { id, version: FIRST_VERSION };
}

/** Whether nodes hold every one of the circuits: an ack of an older version, late, says nothing about a newer one. */
export function allHeld(circuits: readonly CircuitVersion[], acks: readonly CircuitAck[]): boolean {
  const held = heldVersions(acks);
  return circuits.every((circuit) => isHeld(circuit, held));
}

export interface AnnouncementEvidence {
  readonly held: ReadonlyMap<string, number>;
  /** The broadcast went out, and acks of it could be heard. */
  readonly published: boolean;
  readonly liveNodes: number;
  readonly waitedMs: number;
}

/** What became of an announced circuit. */
export function judgeCircuit(circuit: CircuitVersion, evidence: AnnouncementEvidence): CircuitPropagation {
  const waited_ms = Math.round(evidence.waitedMs);
  if (isHeld(circuit, evidence.held)) return { status: 'applied', waited_ms };
  return { status: 'deferred', reason: reasonOf(evidence), waited_ms };
}

/** Nothing changed, so nobody has anything to catch up with. */
export const UNCHANGED: CircuitPropagation = { status: 'unchanged', waited_ms: 0 };

/** No router acknowledges a removal. */
export function judgeRemoval(evidence: Omit<AnnouncementEvidence, 'held' | 'waitedMs'>): CircuitPropagation {
  const reason = reasonOf(evidence);
  return { status: 'deferred', reason: reason === 'awaiting_ack' ? 'announced' : reason, waited_ms: 0 };
}

function reasonOf({ published, liveNodes }: Pick<AnnouncementEvidence, 'published' | 'liveNodes'>) {
  if (!published) return 'bus_unavailable';
  return liveNodes === 0 ? 'no_live_node' : 'awaiting_ack';
}

/** Circuit id -> greatest version that any node acknowledged. */
export function heldVersions(acks: readonly CircuitAck[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { circuits } of acks)
    for (const { id, version } of circuits) held.set(id, Math.max(version, held.get(id) ?? 0));
  return held;
}

function isHeld({ id, version }: CircuitVersion, held: ReadonlyMap<string, number>): boolean {
  return (held.get(id) ?? 0) >= version;
}
