import type { CircuitPropagation, EndpointItem } from '@penstock/protocol';

import { UNCHANGED, type CircuitAnnouncer, type HostedCircuit } from '../propagation/index.js';
import type { EndpointStore, PlacedEndpoint } from './adapters/endpoint.store.js';

/** Where an endpoint is, and what its workers know of it. */
export interface AnnouncedEndpoint extends PlacedEndpoint {
  readonly propagation: CircuitPropagation;
}

/** Gives endpoints a circuit on a worker, then tells the nodes of that worker. */
export class CreateEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /**
   * All or nothing, in the order asked.
   * @throws WireError 503 when an item finds no worker, or when a worker that is no router did not acknowledge: then the
   *   circuits stay, and the same call announces them again
   */
  async create(items: readonly EndpointItem[], traceparent?: string): Promise<AnnouncedEndpoint[]> {
    const placed = await this.store.create(items);
    const outcomes = await this.announcer.created(toAnnounce(placed), traceparent);
    return placed.map((endpoint) => ({
      ...endpoint,
      propagation: outcomes.get(endpoint.hosted.circuit.id) ?? UNCHANGED,
    }));
  }
}

/** Each circuit once, whatever the call repeats. */
function toAnnounce(placed: readonly PlacedEndpoint[]): HostedCircuit[] {
  const announced = placed.filter((endpoint) => endpoint.toAnnounce);
  return [...new Map(announced.map(({ hosted }) => [hosted.circuit.id, hosted])).values()];
}
