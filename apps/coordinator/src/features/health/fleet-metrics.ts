import type { EventBus } from '@penstock/event-bus';
import type { Metrics } from '@penstock/observability';
import { Gauge } from 'prom-client';

import type { AssessLivenessService, LivenessReport } from '../liveness/index.js';
import type { WorkerStore } from '../workers/index.js';

/** What of the fleet a scrape asks for. */
export interface FleetSources {
  readonly database: { answers(): Promise<boolean> };
  readonly workers: Pick<WorkerStore, 'all'>;
  readonly liveness: Pick<AssessLivenessService, 'assess'>;
  readonly bus: Pick<EventBus, 'connected'>;
}

const LIVE_NODES = {
  help: 'Nodes of a router authority inside their liveness TTL',
  labelNames: ['authority'],
};
const HEARTBEAT_AGE = {
  help: 'Seconds since a live node was last heard from',
  labelNames: ['authority', 'node_id'],
};

/**
 * The fleet as gauges, read when someone scrapes. Each has two names: ours, and the one the AppProxy proposal
 * suggests, so that dashboards made for either work.
 */
export class FleetMetrics {
  private readonly liveNodes: readonly Gauge[];
  private readonly heartbeatAges: readonly Gauge[];
  private readonly nodeRevisions: Gauge;
  private readonly busConnected: Gauge;

  constructor(
    metrics: Metrics,
    private readonly sources: FleetSources,
  ) {
    const registers = [metrics.registry];
    this.liveNodes = [
      metrics.gauge({ name: 'penstock_router_live_nodes', ...LIVE_NODES }),
      new Gauge({ name: 'appproxy_router_live_nodes', ...LIVE_NODES, registers }),
    ];
    this.heartbeatAges = [
      metrics.gauge({ name: 'penstock_router_node_heartbeat_age_seconds', ...HEARTBEAT_AGE }),
      new Gauge({ name: 'appproxy_router_node_heartbeat_age_seconds', ...HEARTBEAT_AGE, registers }),
    ];
    this.nodeRevisions = metrics.gauge({
      name: 'penstock_router_node_revision',
      help: 'Revision a live node acknowledged last',
      labelNames: ['authority', 'node_id'],
    });
    this.busConnected = metrics.gauge({
      name: 'penstock_event_bus_connected',
      help: '1 while events can be sent and acks heard',
    });
  }

  /**
   * A database that is away, or hangs, leaves the fleet gauges empty rather than stale, and the scrape succeeds well
   * before scrapers give up: an outage is when the other metrics are needed.
   */
  async collect(): Promise<void> {
    const { database, workers, liveness, bus } = this.sources;
    this.busConnected.set(bus.connected ? 1 : 0);
    for (const gauge of [...this.liveNodes, ...this.heartbeatAges, this.nodeRevisions]) gauge.reset();
    if (!(await database.answers())) return;
    for (const worker of await workers.all().catch(() => [])) {
      if (worker.frontendMode === 'router') this.show(worker.authority, await liveness.assess(worker));
    }
  }

  private show(authority: string, { nodes, reports }: LivenessReport): void {
    for (const gauge of this.liveNodes) gauge.set({ authority }, nodes);
    for (const { nodeId: node_id, ageSeconds, metadata } of reports) {
      for (const gauge of this.heartbeatAges) gauge.set({ authority, node_id }, ageSeconds);
      const revision = Number(metadata?.revision ?? Number.NaN);
      if (Number.isFinite(revision)) this.nodeRevisions.set({ authority, node_id }, revision);
    }
  }
}
