import {
  mergeSightings,
  summariseLiveness,
  type LivenessSummary,
  type NodeSighting,
} from './domain/summarise-liveness.js';
import type { NodeLiveness, NodeMetadata } from './node-liveness.port.js';

/** The worker row as far as liveness cares. */
export interface LivenessSubject {
  readonly id: string;
  readonly authority: string;
  readonly legacyNodes: number;
}

export interface NodeReport {
  readonly nodeId: string;
  readonly ageSeconds: number;
  readonly metadata: NodeMetadata | null;
}

export interface LivenessReport extends LivenessSummary {
  /** False while the liveness store is away: then this is what the database remembers, and no proof of anything. */
  readonly known: boolean;
  readonly legacyNodes: number;
  /** How many nodes may answer an announcement: none of a lost authority, whose counter keeps nodes that were killed. */
  readonly reachable: number;
  readonly reports: readonly NodeReport[];
}

export interface NodeWitness {
  sightings(workerId: string): Promise<readonly NodeSighting[]>;
}

/** Who of an authority is alive, by everything that is known at this moment. */
export class AssessLivenessService {
  constructor(
    private readonly liveness: NodeLiveness,
    private readonly witness: NodeWitness,
    private readonly ttlSeconds: number,
  ) {}

  async assess(worker: LivenessSubject): Promise<LivenessReport> {
    const [view, remembered] = await Promise.all([
      this.liveness.view(worker.authority),
      // A witness that does not answer makes the picture incomplete, it must not fail a change already committed.
      this.witness.sightings(worker.id).catch(() => null),
    ]);
    const sightings = mergeSightings(view?.sightings ?? [], remembered ?? []);
    const lastSeenAgeSeconds = view?.lastSeenAgeSeconds ?? null;
    const facts = { sightings, legacyNodes: worker.legacyNodes, lastSeenAgeSeconds };
    const live = sightings
      .filter((sighting) => sighting.ageSeconds <= this.ttlSeconds)
      .sort((one, other) => (one.nodeId < other.nodeId ? -1 : 1));
    const summary = summariseLiveness(facts, this.ttlSeconds);
    return {
      ...summary,
      reachable: summary.status === 'LOST' ? 0 : summary.nodes,
      known: view !== null && remembered !== null,
      legacyNodes: worker.legacyNodes,
      reports: live.map((one) => ({ ...one, metadata: view?.metadata.get(one.nodeId) ?? null })),
    };
  }
}
