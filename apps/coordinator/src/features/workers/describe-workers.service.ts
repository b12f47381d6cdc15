import { toWireTimestamp, WireError, type NodeDetail, type WorkerResponse } from '@penstock/protocol';

import type { AssessLivenessService, LivenessReport, NodeReport } from '../liveness/index.js';
import type { OccupiedWorker, WorkerStore } from './adapters/worker.store.js';
import { toWorkerResponse } from './domain/worker-response.js';

/** Workers as callers read them: the row, who is alive, what is occupied. */
export class DescribeWorkersService {
  constructor(
    private readonly store: WorkerStore,
    private readonly liveness: AssessLivenessService,
    private readonly now: () => number,
  ) {}

  async list(): Promise<WorkerResponse[]> {
    return Promise.all((await this.store.occupied()).map((worker) => this.describe(worker)));
  }

  /** Without node details, as registration and heartbeat answer. @throws WireError 404 */
  async one(workerId: string): Promise<WorkerResponse> {
    return this.describe(await this.find(workerId));
  }

  /** @throws WireError 404 */
  async detail(workerId: string): Promise<WorkerResponse> {
    const { worker, occupants } = await this.find(workerId);
    const report = await this.liveness.assess(worker);
    const nodeDetails = report.reports.map((node) => this.toNodeDetail(node, report));
    return toWorkerResponse(worker, { nodes: report.nodes, occupants, nodeDetails });
  }

  private async find(workerId: string): Promise<OccupiedWorker> {
    const [found] = await this.store.occupied(workerId);
    if (!found) throw WireError.objectNotFound('worker');
    return found;
  }

  private async describe({ worker, occupants }: OccupiedWorker): Promise<WorkerResponse> {
    const { nodes } = await this.liveness.assess(worker);
    return toWorkerResponse(worker, { nodes, occupants });
  }

  private toNodeDetail({ nodeId, ageSeconds, metadata }: NodeReport, { known }: LivenessReport): NodeDetail {
    const { address = null, version = null, registeredAt = null, revision = null } = metadata ?? {};
    return {
      node_id: nodeId,
      address,
      version,
      registered_at: registeredAt && toWireTimestamp(registeredAt),
      last_seen: toWireTimestamp(new Date(this.now() - ageSeconds * 1000)),
      status: known ? 'alive' : 'unknown',
      ...(revision !== null && { revision }),
    };
  }
}
