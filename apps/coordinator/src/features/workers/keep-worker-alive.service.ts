import { WireError, type NodeReference, type WorkerResponse } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { NodeLiveness, PostgresNodeWitness } from '../liveness/index.js';
import type { WorkerStore } from './adapters/worker.store.js';
import type { Worker } from './domain/worker.js';
import type { DescribeWorkersService } from './describe-workers.service.js';

/** Heartbeats: any of them brings a lost authority back, unless another one has made that impossible. */
export class KeepWorkerAliveService {
  constructor(
    private readonly store: WorkerStore,
    private readonly liveness: NodeLiveness,
    private readonly witness: PostgresNodeWitness,
    private readonly workers: DescribeWorkersService,
    private readonly logger: Logger,
  ) {}

  /** @throws WireError 404: the row is gone, the node must register again */
  async beat(workerId: string, node: NodeReference): Promise<WorkerResponse> {
    const worker = await this.store.touch(workerId);
    if (!worker) throw WireError.objectNotFound('worker');
    const { node_id, address, version, revision } = node;
    if (node_id !== null) await this.witness.saw(workerId, node_id);
    const beat = node_id === null ? null : { nodeId: node_id, address, version, revision };
    await this.liveness.beat(worker.authority, beat);
    if (worker.status !== 'ALIVE') this.warnKeptLost(worker);
    const described = await this.workers.one(workerId);
    if (described.nodes > 0 || node_id !== null) return described;
    await this.store.countLegacyNode(workerId);
    return this.workers.one(workerId);
  }

  private warnKeptLost({ authority }: Worker): void {
    this.logger.warn(
      { authority },
      'worker beats but stays lost: routers and stock inference workers cannot mix',
    );
  }
}
