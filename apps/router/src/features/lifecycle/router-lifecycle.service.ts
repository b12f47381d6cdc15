import type { AddressInfo } from 'node:net';
import type { Logger } from '@penstock/observability';
import type { WorkerRequest } from '@penstock/protocol';
import type { Slot } from '../../process-context.js';
import type { AdminServer, NodeView } from '../admin/index.js';
import type { ControlPlane } from '../control/index.js';
import type { DataPlane, ListenAddress } from '../ingress/index.js';
import type { SnapshotStore } from '../snapshot/index.js';
import type { RedisCircuitStatistics } from '../statistics/index.js';
import { bindListeners, type Listener } from './bind-listeners.js';

/** Where this process listens. */
export interface ListenAddresses {
  readonly public: ListenAddress;
  readonly internal: ListenAddress | null;
  readonly admin: ListenAddress;
}

/** The addresses as bound. */
export interface BoundAddresses {
  readonly public: AddressInfo;
  readonly internal: AddressInfo | null;
  readonly admin: AddressInfo;
}

interface Dependencies {
  readonly addresses: ListenAddresses;
  readonly admin: AdminServer;
  readonly dataPlane: DataPlane;
  readonly control: ControlPlane;
  readonly statistics: RedisCircuitStatistics;
  readonly snapshots: SnapshotStore;
  readonly slot: Slot;
  readonly logger: Logger;
  readonly drain: () => { readonly readinessLeadMs: number; readonly timeoutMs: number };
  readonly registration: (bound: BoundAddresses) => WorkerRequest;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Takes a process from nothing to serving and back. Neither the coordinator nor Redis is needed to start: until the
 * first snapshot clients get `not_ready`, and the node says so to its balancer.
 */
export class RouterLifecycle {
  private phase: 'starting' | 'serving' | 'draining' | 'stopped' = 'starting';
  private stopping: Promise<void> | null = null;

  constructor(private readonly deps: Dependencies) {}

  /** @throws StartupError when an address cannot be bound; nothing is left open then */
  async start(): Promise<BoundAddresses> {
    const bound = await this.bind();
    this.phase = 'serving';
    this.deps.statistics.start();
    this.deps.control.start(this.deps.registration(bound));
    const ports = {
      public_port: bound.public.port,
      internal_port: bound.internal?.port,
      admin_port: bound.admin.port,
    };
    this.deps.logger.info(ports, 'router listens');
    return bound;
  }

  view(): NodeView {
    const { snapshots, control, dataPlane } = this.deps;
    const snapshot = snapshots.current();
    return {
      ready: this.phase === 'serving' && snapshot !== null,
      draining: this.phase === 'draining' || this.phase === 'stopped',
      snapshot,
      control: control.status(),
      inFlight: dataPlane.inFlight,
      groups: dataPlane.groups(),
    };
  }

  /** Safe to repeat: every caller waits for the same end. */
  shutdown(): Promise<void> {
    this.stopping ??= this.stop(this.deps.drain().readinessLeadMs);
    return this.stopping;
  }

  /**
   * Shuts down after the process that took in connections for this one is gone. None can come any more, so there is
   * nothing to wait for before draining; the admin port is given up at once, because a restarted instance needs it.
   */
  async abandon(): Promise<void> {
    await this.deps.admin.stop();
    this.stopping ??= this.stop(0);
    return this.stopping;
  }

  /**
   * Readiness fails first, so that balancers stop sending before the port closes. The node leaves the fleet last:
   * while it may still answer a request it hears of revocations, applies and acknowledges them like any other.
   */
  private async stop(readinessLeadMs: number): Promise<void> {
    const { dataPlane, logger, sleep } = this.deps;
    const { timeoutMs } = this.deps.drain();
    this.phase = 'draining';
    dataPlane.beginDraining();
    logger.info({ in_flight: dataPlane.inFlight, lead_ms: readinessLeadMs }, 'draining');
    await sleep(readinessLeadMs);
    dataPlane.stopAccepting();
    const { cutOff } = await dataPlane.drain(timeoutMs);
    await this.deps.control.stop();
    await this.deps.statistics.close();
    await this.close();
    this.phase = 'stopped';
    logger.info({ cut_off: cutOff }, 'router stopped');
  }

  private async bind(): Promise<BoundAddresses> {
    try {
      const bound = await bindListeners(this.listeners());
      return {
        public: bound.get('public') as AddressInfo,
        internal: bound.get('internal') ?? null,
        admin: bound.get('admin') as AddressInfo,
      };
    } catch (error) {
      await this.deps.dataPlane.drain(0);
      await this.deps.statistics.close();
      await this.close();
      throw error;
    }
  }

  private listeners(): readonly Listener[] {
    const { addresses, admin, dataPlane } = this.deps;
    const all: Listener[] = [
      { name: 'admin', address: addresses.admin, start: () => admin.start(addresses.admin) },
      {
        name: 'public',
        address: addresses.public,
        start: () => dataPlane.listen('public', addresses.public),
      },
    ];
    const address = addresses.internal;
    if (address) {
      all.push({ name: 'internal', address, start: () => dataPlane.listen('internal', address) });
    }
    return all;
  }

  private async close(): Promise<void> {
    await this.deps.admin.stop();
    this.deps.slot.release();
  }
}
