import { WireError, type WorkerRequest, type WorkerResponse } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { NodeLiveness, PostgresNodeWitness } from '../liveness/index.js';
import type { WorkerStore } from './adapters/worker.store.js';
import type { ColocationParty } from './domain/colocation.js';
import { refuseUnusableFrontend } from './domain/refuse-unusable-frontend.js';
import type { DescribeWorkersService } from './describe-workers.service.js';

/** A node joins its authority, or makes it. */
export class RegisterWorkerService {
  constructor(
    private readonly store: WorkerStore,
    private readonly liveness: NodeLiveness,
    private readonly witness: PostgresNodeWitness,
    private readonly workers: DescribeWorkersService,
    private readonly logger: Logger,
  ) {}

  /** @throws WireError 400 unusable frontend, 409 colocation */
  async register(request: WorkerRequest): Promise<WorkerResponse> {
    refuseUnusableFrontend(request);
    const outcome = await this.store.register(request);
    if (outcome.kind === 'conflict') throw toConflict(request, outcome.conflicts);
    const { id, authority } = outcome.worker;
    const { node_id, address, version } = request;
    if (node_id !== null) await this.witness.saw(id, node_id);
    await this.liveness.beat(authority, node_id === null ? null : { nodeId: node_id, address, version });
    this.logger.info(
      { authority, worker_id: id, node_id, frontend_mode: request.frontend_mode },
      'worker registered',
    );
    return this.workers.one(id);
  }
}

function toConflict(request: WorkerRequest, conflicts: readonly ColocationParty[]): WireError {
  return WireError.workerColocationConflict(
    request,
    conflicts.map(({ authority, frontendMode, acceptedTraffics }) => ({
      authority,
      frontend_mode: frontendMode,
      accepted_traffics: acceptedTraffics,
    })),
  );
}
