export type WorkerStatus = 'ALIVE' | 'LOST';

/** When a node was last heard from, as an age: sightings from clocks that disagree stay comparable. */
export interface NodeSighting {
  readonly nodeId: string;
  readonly ageSeconds: number;
}

export interface LivenessFacts {
  readonly sightings: readonly NodeSighting[];
  /** Nodes that registered without a node id and did not deregister. */
  readonly legacyNodes: number;
  /** Age of the authority's last registration or heartbeat of any kind, null when none is remembered. */
  readonly lastSeenAgeSeconds: number | null;
}

export interface LivenessSummary {
  /** Sorted, so that answers are stable. */
  readonly liveNodeIds: readonly string[];
  readonly nodes: number;
  readonly status: WorkerStatus;
}

/** Counts who is alive: node ids inside their TTL (both ends included) plus the legacy counter. */
export function summariseLiveness(facts: LivenessFacts, ttlSeconds: number): LivenessSummary {
  const liveNodeIds = facts.sightings
    .filter((sighting) => sighting.ageSeconds <= ttlSeconds)
    .map((sighting) => sighting.nodeId)
    .sort();
  const nodes = liveNodeIds.length + facts.legacyNodes;
  return { liveNodeIds, nodes, status: statusOf(liveNodeIds.length, facts, ttlSeconds) };
}

/** One node, one sighting: the youngest of everything the witnesses say. */
export function mergeSightings(...witnesses: readonly (readonly NodeSighting[])[]): NodeSighting[] {
  const youngest = new Map<string, number>();
  for (const { nodeId, ageSeconds } of witnesses.flat()) {
    youngest.set(nodeId, Math.min(ageSeconds, youngest.get(nodeId) ?? Infinity));
  }
  return [...youngest].map(([nodeId, ageSeconds]) => ({ nodeId, ageSeconds }));
}

/** Nodes that send no id keep the stock rule: their authority is lost once nobody beat for the TTL. */
function statusOf(liveNodes: number, facts: LivenessFacts, ttlSeconds: number): WorkerStatus {
  if (liveNodes > 0) return 'ALIVE';
  if (facts.legacyNodes === 0) return 'LOST';
  return facts.lastSeenAgeSeconds !== null && facts.lastSeenAgeSeconds > ttlSeconds ? 'LOST' : 'ALIVE';
}
