import type { BulkOutcome } from '@penstock/protocol';

import type { CircuitAnnouncer } from '../propagation/index.js';
import type { EndpointStore } from './adapters/endpoint.store.js';

/** Takes endpoints and their circuits away. An endpoint that is not there is removed already. */
export class RemoveEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  async remove(deploymentId: string): Promise<void> {
    for (const { authority, circuit } of await this.store.remove(deploymentId)) {
      await this.announcer.removed(authority, [circuit]);
    }
  }

  async removeAll(deploymentIds: readonly string[]): Promise<BulkOutcome[]> {
    const outcomes: BulkOutcome[] = [];
    for (const id of deploymentIds) {
      await this.remove(id);
      outcomes.push({ deployment_id: id, success: true, error: null });
    }
    return outcomes;
  }
}
