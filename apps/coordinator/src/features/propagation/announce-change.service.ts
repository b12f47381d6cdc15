import type { AppProxyEvent, Propagation, StrictResult } from '@penstock/protocol';

import type { AssessLivenessService, LivenessReport, LivenessSubject } from '../liveness/index.js';
import type { AckCollector, AckRegistry } from './ack-registry.js';
import { acknowledges, type Ack, type AnnouncedChange } from './domain/ack.js';
import { judgeRevocation } from './domain/strict-result.js';
import type { PropagationMetrics } from './propagation-metrics.js';

/** The bus as far as announcing needs it. */
export interface Publisher {
  /** False while acks cannot be heard, whether or not messages can be sent. */
  readonly connected: boolean;
  publish(event: AppProxyEvent, options?: { traceparent?: string | undefined }): Promise<boolean>;
}

export interface Announcement {
  readonly worker: LivenessSubject;
  readonly change: AnnouncedChange;
  readonly event: AppProxyEvent;
  /** False when nothing changed and the broadcast only repeats what is known. */
  readonly changed: boolean;
  /** Wait for every live node instead of the first ack. */
  readonly strict: boolean;
  readonly traceparent?: string | undefined;
}

export interface AnnouncementResult {
  readonly propagation: Propagation;
  readonly strict?: StrictResult;
}

/** How often a strict wait looks whether a silent node has left the live set meanwhile. */
const LIVENESS_RECHECK_MS = 1_000;

/**
 * Tells every router of an authority about a committed change and waits for acks: the first one, or with `strict` one
 * of each live node. Never fails: a change nobody acknowledged is committed all the same, and the next pull of each
 * router carries it.
 */
export class AnnounceChangeService {
  constructor(
    private readonly publisher: Publisher,
    private readonly acks: AckRegistry<Ack>,
    private readonly liveness: AssessLivenessService,
    private readonly metrics: PropagationMetrics,
    private readonly ackTimeoutMs: number,
  ) {}

  async announce(announcement: Announcement): Promise<AnnouncementResult> {
    // After the commit and before the broadcast: whoever joins later pulls the committed state anyway.
    const live = await this.liveness.assess(announcement.worker);
    const collector = this.acks.arm((ack) => acknowledges(ack, announcement.change));
    const startedAt = performance.now();
    try {
      const { event, traceparent } = announcement;
      const sent = await this.publisher.publish(event, { traceparent });
      const published = sent && this.publisher.connected;
      await this.collect(announcement, live, published, collector, startedAt);
      return this.conclude(announcement, live, published, collector, performance.now() - startedAt);
    } finally {
      collector.close();
    }
  }

  /** Nobody alive or nothing sent: nobody can answer, so there is nothing to wait for. */
  private async collect(
    announcement: Announcement,
    live: LivenessReport,
    published: boolean,
    collector: AckCollector<Ack>,
    startedAt: number,
  ): Promise<void> {
    if (!published || live.reachable === 0) return;
    const deadline = startedAt + this.ackTimeoutMs;
    if (announcement.strict && live.liveNodeIds.length > 0) {
      return this.collectFromAll(announcement.worker, live, collector, deadline);
    }
    await collector.until(() => collector.acks.length > 0, deadline - performance.now());
  }

  /** A node that leaves the live set drops out of the wait; it stays unconfirmed. */
  private async collectFromAll(
    worker: LivenessSubject,
    live: LivenessReport,
    collector: AckCollector<Ack>,
    deadline: number,
  ): Promise<void> {
    let awaited = live.liveNodeIds;
    const complete = () => awaited.every((node) => nodesOf(collector).has(node));
    while (performance.now() < deadline) {
      const leftMs = deadline - performance.now();
      if (await collector.until(complete, Math.min(leftMs, LIVENESS_RECHECK_MS))) return;
      if (collector.isClosed) return;
      const now = await this.liveness.assess(worker);
      awaited = awaited.filter((node) => now.liveNodeIds.includes(node));
    }
  }

  private conclude(
    announcement: Announcement,
    live: LivenessReport,
    published: boolean,
    collector: AckCollector<Ack>,
    elapsedMs: number,
  ): AnnouncementResult {
    const first = collector.acks[0];
    const waited = published && live.reachable > 0;
    const propagation: Propagation = {
      status: !announcement.changed ? 'unchanged' : first ? 'applied' : 'deferred',
      revision: announcement.change.revision,
      first_ack_node: first?.nodeId ?? null,
      waited_ms: waited ? Math.round(elapsedMs) : 0,
    };
    this.metrics.observe(propagation);
    if (!announcement.strict) return { propagation };
    const acknowledged = nodesOf(collector);
    const { liveNodeIds: expected, legacyNodes } = live;
    return {
      propagation,
      strict: judgeRevocation({ expected, acknowledged, complete: published && live.known, legacyNodes }),
    };
  }
}

function nodesOf(collector: AckCollector<Ack>): ReadonlySet<string> {
  return new Set(collector.acks.flatMap((ack) => (ack.nodeId === null ? [] : [ack.nodeId])));
}
