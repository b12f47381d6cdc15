import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import { TOKEN_CIPHER } from './bindings-options.js';
import { BindingsStore, sealedOf } from './bindings.store.js';
import type { TokenCipher } from './domain/token-cipher.js';
import { SERVICE_ENVIRONMENT_SINK, type ServiceEnvironmentSink } from './service-environment-sink.port.js';

/**
 * Keeps what lies at the sink equal to the rows, whoever wrote the rows: another manager rotates too, and a process
 * may end between its commit and its delivery. Nothing here fails a request; the next round tries again.
 */
@Injectable()
export class DeliverEnvironmentService {
  /** When the token was issued that was delivered last, by deployment. Null: what lies there is unknown. */
  #delivered: Map<string, number | null> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BindingsStore) private readonly bindings: BindingsStore,
    @Inject(SERVICE_ENVIRONMENT_SINK) private readonly sink: ServiceEnvironmentSink | null,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  /**
   * Delivers the newest token of one deployment, or withdraws what must not lie there any more. One at a time: of two
   * that cross, the older token might come to lie there last.
   */
  async deliver(deploymentId: string): Promise<void> {
    const { sink } = this;
    if (sink === null) return;
    this.#last = this.#last.then(() => this.#tryDelivery(sink, deploymentId));
    await this.#last;
  }

  async #tryDelivery(sink: ServiceEnvironmentSink, deploymentId: string): Promise<void> {
    try {
      const outcome = await this.#deliver(sink, deploymentId);
      this.metrics.environmentDeliveries.inc({ outcome });
    } catch (error) {
      this.metrics.environmentDeliveries.inc({ outcome: 'failed' });
      this.logger.warn(
        { err: error, deployment: deploymentId },
        'service environment could not be delivered',
      );
    }
  }

  /** @param issued - when the present token of each bound deployment was made; null for one that has none yet */
  async deliverAll(issued: ReadonlyMap<string, Date | null>): Promise<void> {
    if (this.sink === null) return;
    const delivered = await this.#known(this.sink);
    const stale = [...issued].filter(([id, at]) =>
      at === null ? delivered.has(id) : delivered.get(id) !== at.getTime(),
    );
    const gone = [...delivered.keys()].filter((id) => !issued.has(id));
    for (const id of [...stale.map(([id]) => id), ...gone]) await this.deliver(id);
  }

  async #deliver(
    sink: ServiceEnvironmentSink,
    deploymentId: string,
  ): Promise<'delivered' | 'withdrawn' | 'unreadable'> {
    const delivered = await this.#known(sink);
    const row = await this.bindings.find(deploymentId);
    const sealed = row === null ? null : sealedOf(row);
    if (sealed === null) {
      await sink.withdraw(deploymentId);
      delivered.delete(deploymentId);
      return 'withdrawn';
    }
    const token = this.cipher?.open(sealed, deploymentId) ?? null;
    if (token === null) return 'unreadable';
    await sink.deliver(deploymentId, { BACKENDAI_UPSTREAM_TOKEN: token });
    delivered.set(deploymentId, row?.issued_at?.getTime() ?? null);
    return 'delivered';
  }

  /** At the start whatever a process before left behind counts as unknown. */
  async #known(sink: ServiceEnvironmentSink): Promise<Map<string, number | null>> {
    this.#delivered ??= new Map((await sink.delivered()).map((id) => [id, null]));
    return this.#delivered;
  }
}
