import { WireError } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { AssessLivenessService, NodeLiveness, PostgresNodeWitness } from '../liveness/index.js';
import type { WorkerStore } from './adapters/worker.store.js';

/** A node leaves. It has stopped accepting work by then, so nobody waits for its ack any more. */
export class DeregisterWorkerService {
  constructor(
    private readonly store: WorkerStore,
    private readonly liveness: NodeLiveness,
    private readonly witness: PostgresNodeWitness,
    private readonly assessment: AssessLivenessService,
    private readonly logger: Logger,
  ) {}

  /** Circuits stay with the authority. @throws WireError 404 */
  async deregister(workerId: string, nodeId: string | null): Promise<void> {
    const worker = await this.store.find(workerId);
    if (!worker) throw WireError.objectNotFound('worker');
    if (nodeId === null) {
      await this.store.dropLegacyNode(workerId);
    } else {
      await this.witness.forget(workerId, nodeId);
      await this.liveness.forget(worker.authority, nodeId);
    }
    await this.loseIfEmpty(workerId);
    this.logger.info(
      { authority: worker.authority, worker_id: workerId, node_id: nodeId },
      'worker deregistered',
    );
  }

  private async loseIfEmpty(workerId: string): Promise<void> {
    const worker = await this.store.find(workerId);
    if (!worker) return;
    const { status } = await this.assessment.assess(worker);
    if (status === 'LOST') await this.store.markLost(workerId, worker.updatedAt);
  }
}
