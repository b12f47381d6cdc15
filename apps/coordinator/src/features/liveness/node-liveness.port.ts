import type { NodeSighting } from './domain/summarise-liveness.js';

/** What one node tells about itself when it registers or beats. */
export interface NodeBeat {
  readonly nodeId: string;
  readonly address?: string | null;
  readonly version?: string | null;
  readonly revision?: string | null;
}

export interface NodeMetadata {
  readonly address: string | null;
  readonly version: string | null;
  readonly registeredAt: Date | null;
  /** Revision the node acknowledged last. */
  readonly revision: string | null;
}

export interface LivenessView {
  readonly sightings: readonly NodeSighting[];
  readonly metadata: ReadonlyMap<string, NodeMetadata>;
  /** Age of the last registration or heartbeat of any kind. */
  readonly lastSeenAgeSeconds: number | null;
}

/**
 * Per-node liveness of an authority, kept where it may be lost. No call throws: an absent store makes writes no-ops and
 * `view` null, which means "unknown" and never "nobody".
 */
export interface NodeLiveness {
  /** Records a registration or heartbeat. A null node is one that sends no id: only the authority's own time moves. */
  beat(authority: string, node: NodeBeat | null): Promise<void>;
  forget(authority: string, nodeId: string): Promise<void>;
  /** Keeps the greatest revision the node acknowledged. */
  acknowledged(authority: string, nodeId: string, revision: string): Promise<void>;
  view(authority: string): Promise<LivenessView | null>;
}

export const NODE_LIVENESS = Symbol('NodeLiveness');
