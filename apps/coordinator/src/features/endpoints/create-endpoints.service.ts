import type { EndpointItem } from '@penstock/protocol';

import type { CircuitAnnouncer } from '../propagation/index.js';
import type { EndpointStore, PlacedEndpoint } from './adapters/endpoint.store.js';

/** Gives endpoints a circuit on a router authority, then tells that authority's routers. */
export class CreateEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /** All or nothing, in the order asked. @throws WireError 503 when an item finds no router */
  async create(items: readonly EndpointItem[]): Promise<PlacedEndpoint[]> {
    const placed = await this.store.create(items);
    await Promise.all([...newCircuitsByRouter(placed)].map((group) => this.announce(group)));
    return placed;
  }

  private announce([, endpoints]: readonly [string, readonly PlacedEndpoint[]]): Promise<void> {
    const [first] = endpoints;
    const circuits = endpoints.flatMap(({ createdCircuit }) => (createdCircuit ? [createdCircuit] : []));
    return first ? this.announcer.created(first.router, circuits) : Promise.resolve();
  }
}

function newCircuitsByRouter(placed: readonly PlacedEndpoint[]): Map<string, PlacedEndpoint[]> {
  return Map.groupBy(
    placed.filter((endpoint) => endpoint.createdCircuit !== null),
    (endpoint) => endpoint.router.authority,
  );
}
