import type { BulkOutcome, CircuitPropagation } from '@penstock/protocol';

import type { AnnounceOptions, CircuitAnnouncer } from '../propagation/index.js';
import type { EndpointStore } from './adapters/endpoint.store.js';

/** Takes endpoints and their circuits away. An endpoint that is not there is removed already. */
export class RemoveEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /** @returns what became of the announcement, undefined unless asked for */
  async remove(deploymentId: string, options: AnnounceOptions): Promise<CircuitPropagation | undefined> {
    return this.announcer.removed(await this.store.remove(deploymentId), options);
  }

  async removeAll(deploymentIds: readonly string[], options: AnnounceOptions): Promise<BulkOutcome[]> {
    const outcomes: BulkOutcome[] = [];
    for (const id of deploymentIds) {
      const propagation = await this.remove(id, options);
      outcomes.push({ deployment_id: id, success: true, error: null, ...(propagation && { propagation }) });
    }
    return outcomes;
  }
}
