import { WireError, type BulkOutcome, type CircuitPropagation } from '@penstock/protocol';

import type { AnnounceOptions, CircuitAnnouncer } from '../propagation/index.js';
import type { EndpointStore } from './adapters/endpoint.store.js';
import { describeRefusal, isRefusal } from './domain/item-refusal.js';

/** Takes endpoints and their circuits away. An endpoint that is not there is removed already. */
export class RemoveEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /**
   * @returns what became of the announcement, undefined unless asked for
   * @throws WireError 409 while others call it
   */
  async remove(deploymentId: string, options: AnnounceOptions): Promise<CircuitPropagation | undefined> {
    return this.announcer.removed(await this.store.remove(deploymentId), options);
  }

  /** An endpoint that others call stays and says so; the rest goes. */
  async removeAll(deploymentIds: readonly string[], options: AnnounceOptions): Promise<BulkOutcome[]> {
    const outcomes: BulkOutcome[] = [];
    for (const id of deploymentIds) outcomes.push(await this.removeOne(id, options));
    return outcomes;
  }

  private async removeOne(deployment_id: string, options: AnnounceOptions): Promise<BulkOutcome> {
    try {
      const propagation = await this.remove(deployment_id, options);
      return { deployment_id, success: true, error: null, ...(propagation && { propagation }) };
    } catch (error) {
      if (!(error instanceof WireError && isRefusal(error))) throw error;
      return { deployment_id, success: false, error: describeRefusal(error) };
    }
  }
}
