import type { AddressInfo } from 'node:net';
import { AdmissionService, clientAddressFinder, LoadShedder } from '../admission/index.js';
import {
  createReplicaClient,
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
import { DataPlaneMetrics, RequestFinisher } from '../usage/index.js';
import { NodeHttpFront } from './adapters/node-http.front.js';
import type { DataPlane, DataPlaneOptions, DataPlaneSettings, ListenAddress } from './data-plane.port.js';
import { CorsPolicy } from './domain/cors.js';
import type { RequestHandlerDeps } from './request-handler-deps.js';
import { RequestHandler } from './request-handler.service.js';

/** A replica that lists its models at all does so at once. */
const DISCOVERY_MS_MAX = 10_000;

/** Builds the data plane; nothing listens until `start`. */
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
  private readonly deps: Mutable<RequestHandlerDeps>;
  private readonly front: NodeHttpFront;
  private readonly unsubscribe: () => void;

  constructor(private readonly options: DataPlaneOptions) {
    const { settings, snapshots } = options;
    const { maxInFlight, maxBufferedBytes, processes } = settings;
    this.load = new LoadShedder({
      maxInFlight: Math.max(1, Math.ceil(maxInFlight / processes)),
      maxBufferedBytes: Math.max(settings.bodyLimitBytes, Math.ceil(maxBufferedBytes / processes)),
    });
    this.client = createReplicaClient(settings.replicaClient, {
      timers: this.timers,
      connectTimeoutMs: settings.timeouts.connectMs,
      networks: settings.replicaNetworks,
    });
    this.deps = this.handlerDeps();
    this.front = new NodeHttpFront(new RequestHandler(this.deps), {
      timers: this.timers,
      stallMs: () => this.deps.forwarding.timeouts.idleMs,
      onError: (error) => options.logger.error({ err: error }, 'public listener failed'),
      arrival: options.arrival,
    });
    registerReplicaMetrics(options.metrics, () => this.groups());
    this.unsubscribe = snapshots.onSwap((next, previous) => this.swapped(next, previous));
  }

  get inFlight(): number {
    return this.front.inFlight;
  }

  async start(listeners: { readonly public: ListenAddress }): Promise<{ readonly public: AddressInfo }> {
    return { public: await this.front.listen(listeners.public) };
  }

  reconfigure(settings: DataPlaneSettings): void {
    const { maxAttempts, timeouts } = settings;
    const forwarding = { ...this.deps.forwarding, maxAttempts, timeouts };
    Object.assign(this.deps, perRequest(settings), { forwarding });
  }

  beginDraining(): void {
    this.front.draining = true;
  }

  stopAccepting(): void {
    this.front.stopAccepting();
  }

  async drain(deadlineMs: number): Promise<{ readonly cutOff: number }> {
    const cutOff = await this.front.drain(deadlineMs);
    this.unsubscribe();
    await this.client.destroy();
    return { cutOff };
  }

  groups(): readonly GroupView[] {
    const snapshot = this.options.snapshots.current();
    return snapshot === null ? [] : viewGroups(snapshot, this.registry);
  }

  private swapped(next: Snapshot, previous: Snapshot | null): void {
    if (next.endpoints !== previous?.endpoints) this.client.retain(this.registry.retain(next));
    if (previous !== null) this.admission.forgetRemoved(next, previous);
  }

  private handlerDeps(): RequestHandlerDeps {
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
    const { settings, random = Math.random } = this.options;
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
    };
  }
}

/** What requests look at anew each time; a request that runs may see either value of one that changes meanwhile. */
function perRequest(
  settings: DataPlaneSettings,
): Pick<RequestHandlerDeps, 'clientAddress' | 'cors' | 'hideUngrantedModels'> {
  return {
    clientAddress: clientAddressFinder(settings.trustedProxies),
    cors: new CorsPolicy(settings.corsAllowedOrigins),
    hideUngrantedModels: settings.hideUngrantedModels,
  };
}
