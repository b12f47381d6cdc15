import type { AddressInfo } from 'node:net';
import { parseIpList } from '@penstock/protocol';
import { AdmissionService, clientAddressFinder, LoadShedder } from '../admission/index.js';
import {
  createReplicaClient,
  Http1TunnelDialer,
  ModelDiscovery,
  TimerWheel,
  type ForwardingDeps,
  type ReplicaClient,
} from '../proxy/index.js';
import {
  registerReplicaMetrics,
  ReplicaRegistry,
  TargetSelector,
  viewGroups,
  type GroupView,
} from '../routing/index.js';
import type { Snapshot } from '../snapshot/index.js';
import { DataPlaneMetrics, noStatistics, RequestFinisher } from '../usage/index.js';
import { NodeHttpFront } from './adapters/node-http.front.js';
import { createSurfaces } from './create-surfaces.js';
import type {
  DataPlane,
  DataPlaneOptions,
  DataPlaneSettings,
  ListenAddress,
  ListenerName,
} from './data-plane.port.js';
import { CorsPolicy } from './domain/cors.js';
import type { HandlingDeps } from './handling-deps.js';

/** A replica that lists its models at all does so at once. */
const DISCOVERY_MS_MAX = 10_000;

/** Builds the data plane; nothing listens until `listen`. */
export function createDataPlane(options: DataPlaneOptions): DataPlane {
  return new NodeDataPlane(options);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

class NodeDataPlane implements DataPlane {
  private readonly timers = new TimerWheel();
  private readonly registry = new ReplicaRegistry();
  private readonly admission = new AdmissionService();
  private readonly load: LoadShedder;
  private readonly client: ReplicaClient;
  private readonly deps: Mutable<HandlingDeps>;
  private readonly fronts: ReadonlyMap<ListenerName, NodeHttpFront>;
  private readonly unsubscribe: () => void;

  constructor(private readonly options: DataPlaneOptions) {
    const { settings, snapshots } = options;
    const { maxInFlight, maxBufferedBytes, processes } = settings;
    this.load = new LoadShedder({
      maxInFlight: Math.max(1, Math.ceil(maxInFlight / processes)),
      maxBufferedBytes: Math.max(settings.bodyLimitBytes, Math.ceil(maxBufferedBytes / processes)),
    });
    this.client = createReplicaClient(settings.replicaClient, this.clientOptions());
    this.deps = this.handlingDeps();
    this.fronts = this.createFronts();
    registerReplicaMetrics(options.metrics, () => this.groups());
    this.unsubscribe = snapshots.onSwap((next, previous) => this.swapped(next, previous));
  }

  get inFlight(): number {
    return this.allFronts().reduce((sum, front) => sum + front.inFlight, 0);
  }

  listen(listener: ListenerName, address: ListenAddress): Promise<AddressInfo> {
    const front = this.fronts.get(listener);
    if (front === undefined)
      return Promise.reject(new Error(`The settings leave the ${listener} listener out`));
    return front.listen(address);
  }

  reconfigure(settings: DataPlaneSettings): void {
    const { maxAttempts, timeouts } = settings;
    Object.assign(this.deps, perRequest(settings));
    // The other steps hold this very object.
    Object.assign(this.deps.forwarding, { maxAttempts, timeouts });
  }

  beginDraining(): void {
    for (const front of this.allFronts()) front.draining = true;
  }

  stopAccepting(): void {
    for (const front of this.allFronts()) front.stopAccepting();
  }

  async drain(deadlineMs: number): Promise<{ readonly cutOff: number }> {
    const cutOffs = await Promise.all(this.allFronts().map((front) => front.drain(deadlineMs)));
    this.unsubscribe();
    await this.client.destroy();
    return { cutOff: cutOffs.reduce((sum, count) => sum + count, 0) };
  }

  groups(): readonly GroupView[] {
    const snapshot = this.options.snapshots.current();
    return snapshot === null ? [] : viewGroups(snapshot, this.registry);
  }

  private allFronts(): readonly NodeHttpFront[] {
    return [...this.fronts.values()];
  }

  private swapped(next: Snapshot, previous: Snapshot | null): void {
    if (next.endpoints !== previous?.endpoints) this.client.retain(this.registry.retain(next));
    if (previous !== null) this.admission.forgetRemoved(next, previous);
  }

  private createFronts(): ReadonlyMap<ListenerName, NodeHttpFront> {
    const { settings, arrival, logger, fallback } = this.options;
    const dialer = new Http1TunnelDialer(this.clientOptions());
    const { deps } = this;
    const surfaces = createSurfaces({ deps, settings, dialer, fallback });
    const fronts = [...surfaces].map(([name, { handler, upgrades }]): [ListenerName, NodeHttpFront] => [
      name,
      new NodeHttpFront(handler, {
        timers: this.timers,
        stallMs: () => deps.forwarding.timeouts.idleMs,
        onError: (error) => logger.error({ err: error }, `${name} listener failed`),
        arrival,
        upgrades,
      }),
    ]);
    return new Map(fronts);
  }

  private handlingDeps(): HandlingDeps {
    const { settings, snapshots, logger, metrics: registry, now = () => Date.now() } = this.options;
    const metrics = new DataPlaneMetrics(registry, this.load);
    return {
      ...perRequest(settings),
      snapshots,
      registry: this.registry,
      admission: this.admission,
      load: this.load,
      finisher: new RequestFinisher({ metrics, logger, now: () => this.timers.now() }),
      forwarding: this.forwarding(),
      bodyLimitBytes: settings.bodyLimitBytes,
      now,
    };
  }

  private forwarding(): ForwardingDeps {
    const { settings, random = Math.random, statistics = noStatistics } = this.options;
    const { client, timers } = this;
    const now = () => timers.now();
    const timeoutMs = Math.min(settings.timeouts.headersMs, DISCOVERY_MS_MAX);
    return {
      client,
      timers,
      selector: new TargetSelector({ strategy: settings.strategy, random, now }),
      discovery: new ModelDiscovery({ client, timers, timeoutMs }),
      maxAttempts: settings.maxAttempts,
      timeouts: settings.timeouts,
      statistics,
    };
  }

  private clientOptions() {
    const { settings } = this.options;
    return {
      timers: this.timers,
      connectTimeoutMs: settings.timeouts.connectMs,
      networks: settings.replicaNetworks,
    };
  }
}

/** What requests look at anew each time; a request that runs may see either value of one that changes meanwhile. */
function perRequest(
  settings: DataPlaneSettings,
): Pick<HandlingDeps, 'clientAddress' | 'trustsPeer' | 'cors' | 'hideUngrantedModels'> {
  const { trustedProxies, corsAllowedOrigins, hideUngrantedModels } = settings;
  const trusted = parseIpList(trustedProxies);
  return {
    clientAddress: clientAddressFinder(trustedProxies),
    trustsPeer: (peer) => trusted.restricted && trusted.allows(peer),
    cors: new CorsPolicy(corsAllowedOrigins),
    hideUngrantedModels,
  };
}
