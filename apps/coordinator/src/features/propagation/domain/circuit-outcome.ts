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

/**
 * Whether nodes hold every one of the circuits, to be asked again whenever `acks` has grown: what was read once is not
 * read anew, because there may be thousands. An ack of an older version, late, says nothing about a newer one.
 */
export function allHeld(circuits: readonly CircuitVersion[], acks: readonly CircuitAck[]): () => boolean {
  const missing = [...circuits];
  const held = new Map<string, number>();
  let read = 0;
  return () => {
    noteHeld(held, acks.slice(read));
    read = acks.length;
    for (let one = missing.at(-1); one && isHeld(one, held); one = missing.at(-1)) missing.pop();
    return missing.length === 0;
  };
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
  noteHeld(held, acks);
  return held;
}

function noteHeld(held: Map<string, number>, acks: readonly CircuitAck[]): void {
  for (const { circuits } of acks)
    for (const { id, version } of circuits) held.set(id, Math.max(version, held.get(id) ?? 0));
}

function isHeld({ id, version }: CircuitVersion, held: ReadonlyMap<string, number>): boolean {
  return (held.get(id) ?? 0) >= version;
}
