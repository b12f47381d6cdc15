import { WireError } from '@penstock/protocol';

import type { CircuitAnnouncer } from '../propagation/index.js';
import type { CircuitStore } from './adapters/circuit.store.js';

/** Takes circuits away by their own id. */
export class RemoveCircuitsService {
  constructor(
    private readonly store: CircuitStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /** @throws WireError 404 */
  async remove(circuitId: string, traceparent?: string): Promise<void> {
    if ((await this.removeKnown([circuitId], traceparent)) === 0) throw WireError.objectNotFound('circuit');
  }

  /** Unknown ids are passed over. @returns how many were removed */
  async removeKnown(circuitIds: readonly string[], traceparent?: string): Promise<number> {
    const removed = await this.store.remove(circuitIds);
    await this.announcer.removed(removed, { report: false, traceparent });
    return removed.length;
  }
}
