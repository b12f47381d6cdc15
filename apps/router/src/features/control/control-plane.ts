import { describeError } from '../../system-error.js';
import type { EventBus } from '@penstock/event-bus';
import type { Logger, Metrics } from '@penstock/observability';
import type { WorkerRequest } from '@penstock/protocol';
import type { KeyRules, SnapshotStore } from '../snapshot/index.js';
import type { Clock } from './clock.port.js';
import { ControlMetrics } from './control-metrics.js';
import type { ControlTimings } from './control-timings.js';
import type { CoordinatorClient, NodeReport } from './coordinator-client.port.js';
import { CoordinatorLink } from './coordinator-link.js';
import { DesiredStateStore } from './desired-state.store.js';
import { HeartbeatService } from './heartbeat.service.js';
import { PullSnapshotService } from './pull-snapshot.service.js';
import { RegistrationService } from './registration.service.js';
import { ReportAppliedService } from './report-applied.service.js';
import { RouterEventConsumer } from './router-event.consumer.js';
import type { WorkerIdentity } from './worker-identity.js';

/** How long the first pull waits for the subscription; without a bus the pulls alone keep the state right. */
const SUBSCRIPTION_WAIT_MS = 1_000;

/** What the control side needs from outside. */
export interface ControlPlaneOptions {
  readonly identity: WorkerIdentity;
  readonly mode: 'router' | 'wildcard';
  readonly client: CoordinatorClient;
  /** Null when events are switched off. */
  readonly bus: EventBus | null;
  readonly snapshots: SnapshotStore;
  readonly timings: () => ControlTimings;
  readonly rules: () => KeyRules;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The control side as an operator sees it. */
export interface ControlStatus {
  readonly coordinator: {
    readonly registered: boolean;
    readonly worker_id: string | null;
    readonly last_pull_at: string | null;
    readonly last_error: string | null;
  };
  readonly event_bus: { readonly connected: boolean };
}

/** Keeps this node registered, alive in the fleet, and its snapshot equal to what the coordinator wants. */
export class ControlPlane {
  private readonly link: CoordinatorLink;
  private readonly state: DesiredStateStore;
  private readonly registration: RegistrationService;
  private readonly heartbeat: HeartbeatService;
  private readonly pulls: PullSnapshotService;
  private adminAddress = '';
  private isStopped = false;

  constructor(private readonly options: ControlPlaneOptions) {
    const { client, clock, timings, logger } = options;
    const metrics = new ControlMetrics(options.metrics);
    const link = new CoordinatorLink(clock.now);
    const shared = { client, clock, timings, logger, link };
    const onGone = (workerId: string): void => this.registration.lost(workerId);
    this.link = link;
    this.state = this.createState(metrics);
    this.registration = new RegistrationService({ ...shared, onRegistered: () => this.onRegistered() });
    this.heartbeat = new HeartbeatService({ ...shared, report: () => this.report(), onGone });
    this.pulls = new PullSnapshotService({ ...shared, state: this.state, metrics, onGone });
    this.listen(metrics);
  }

  /** Returns at once: registration goes on in the background for as long as it takes. */
  start(request: WorkerRequest): void {
    this.adminAddress = request.address ?? '';
    void this.subscribed().then(() => {
      if (!this.isStopped) this.registration.start(request);
    });
  }

  /** Leaves the fleet, then stops everything. Heartbeats end first: one after the departure would undo it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([this.registration.stop(), this.heartbeat.stop()]);
    await Promise.all([this.deregister(), this.pulls.stop()]);
    await this.options.bus?.close();
    await this.options.client.close();
  }

  /** Builds the snapshot again, after settings changed that it depends on. */
  rebuild(): void {
    this.state.rebuild();
  }

  status(): ControlStatus {
    const { workerId, lastPullAtMs, lastError } = this.link;
    return {
      coordinator: {
        registered: workerId !== null,
        worker_id: workerId,
        last_pull_at: lastPullAtMs === null ? null : new Date(lastPullAtMs).toISOString(),
        last_error: lastError?.message ?? null,
      },
      event_bus: { connected: this.options.bus?.connected ?? false },
    };
  }

  private listen(metrics: ControlMetrics): void {
    const { bus, identity, mode } = this.options;
    if (bus === null) return;
    const { authority } = identity;
    const consumer = new RouterEventConsumer({ authority, mode, state: this.state, metrics });
    bus.subscribe(consumer.consume);
    // What was published while the connection was down is lost, so a new one is followed by a pull at once.
    bus.onState((connected) => {
      if (connected) this.pulls.request('all');
    });
  }

  private createState(metrics: ControlMetrics): DesiredStateStore {
    const { bus, identity, snapshots, rules, clock, logger } = this.options;
    const acks = bus && new ReportAppliedService(bus, metrics, identity);
    return new DesiredStateStore({
      snapshots,
      rules,
      now: clock.now,
      observer: {
        applied: (received) => acks?.report(received),
        pullNeeded: (scope) => this.pulls.request(scope),
        swapped: (cause, startedMs) => this.swapped(metrics, cause, startedMs),
        warned: (warnings) => logger.warn({ warnings }, 'parts of the configuration are not served'),
        refused: (cause, reasons) => {
          metrics.refused();
          this.link.failed(`snapshot refused: ${reasons.join('; ')}`);
          logger.error({ cause, reasons }, 'snapshot refused, serving the last good one');
        },
      },
    });
  }

  private swapped(metrics: ControlMetrics, cause: string, startedMs: number): void {
    const { current } = this.state;
    const seconds = (this.options.clock.now() - startedMs) / 1000;
    metrics.swapped(current, seconds);
    const counts = {
      circuits: current.circuits.size,
      publications: current.publications.size,
      keys: current.keys.size,
    };
    this.options.logger.info({ cause, revision: current.servedRevision, ...counts }, 'snapshot applied');
  }

  private async subscribed(): Promise<void> {
    const { bus, clock } = this.options;
    if (bus === null) return;
    void bus.start();
    await new Promise<void>((resolve) => {
      const cancel = clock.after(SUBSCRIPTION_WAIT_MS, resolve);
      void bus.ready().then(() => {
        cancel();
        resolve();
      });
    });
  }

  private onRegistered(): void {
    this.pulls.start();
    this.heartbeat.start();
  }

  private report(): NodeReport {
    const { nodeId, version } = this.options.identity;
    const { servedRevision: revision } = this.state.current;
    return { node_id: nodeId, address: this.adminAddress, version, ...(revision !== null && { revision }) };
  }

  private async deregister(): Promise<void> {
    const { workerId } = this.link;
    if (workerId === null) return;
    this.link.workerId = null;
    try {
      await this.options.client.deregister(workerId, this.options.identity.nodeId);
    } catch (error) {
      this.options.logger.warn(
        { reason: describeError(error) },
        'could not deregister, the node will time out',
      );
    }
  }
}
