import type { Circuit, CircuitPropagation, EndpointItem } from '@penstock/protocol';

import { UNCHANGED, type CircuitAnnouncer } from '../propagation/index.js';
import type { EndpointStore, PlacedEndpoint } from './adapters/endpoint.store.js';
import type { PlacementRouter } from './adapters/placement-routers.js';

/** Where an endpoint is, and what its routers know of it. */
export interface AnnouncedEndpoint extends PlacedEndpoint {
  readonly propagation: CircuitPropagation;
}

/** Gives endpoints a circuit on a router authority, then tells that authority's routers. */
export class CreateEndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  /** All or nothing, in the order asked. @throws WireError 503 when an item finds no router */
  async create(items: readonly EndpointItem[], traceparent?: string): Promise<AnnouncedEndpoint[]> {
    const placed = await this.store.create(items);
    const announcements = [...newCircuitsByRouter(placed)].map(([router, circuits]) =>
      this.announcer.created(router, circuits, traceparent),
    );
    const outcomes = new Map((await Promise.all(announcements)).flatMap((one) => [...one]));
    return placed.map((endpoint) => ({
      ...endpoint,
      propagation: outcomes.get(endpoint.createdCircuit?.id ?? '') ?? UNCHANGED,
    }));
  }
}

/** Each circuit once, whatever the call repeats. */
function newCircuitsByRouter(placed: readonly PlacedEndpoint[]): Map<PlacementRouter, Circuit[]> {
  const created = new Map<PlacementRouter, Set<Circuit>>();
  for (const { router, createdCircuit } of placed) {
    if (createdCircuit === null) continue;
    created.set(router, (created.get(router) ?? new Set()).add(createdCircuit));
  }
  return new Map([...created].map(([router, circuits]) => [router, [...circuits]]));
}
