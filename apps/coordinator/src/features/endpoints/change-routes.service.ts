import type {
  BulkOutcome,
  RegisterOutcome,
  RoutesItem,
  UnregisterItem,
  UnregisterOutcome,
} from '@penstock/protocol';

import type { CircuitAnnouncer } from '../propagation/index.js';
import type { RouteChange, RouteStore } from './adapters/route.store.js';
import {
  registerRoutes,
  replaceRoutes,
  unregisterRoutes,
  type Registration,
  type Removal,
} from './domain/apply-routes.js';

/** Peers compare this text. */
const NO_CIRCUIT = 'No circuit registered for this endpoint yet.';

/**
 * Changes which replicas serve an endpoint. Each item stands alone and the routers hear of it even when nothing
 * changed: the periodic push of a manager then also repairs a lost event.
 */
export class ChangeRoutesService {
  constructor(
    private readonly store: RouteStore,
    private readonly announcer: CircuitAnnouncer,
  ) {}

  async replace(item: RoutesItem): Promise<BulkOutcome> {
    const decide = () => ({ routes: replaceRoutes(item.routes) });
    const change = await this.announced(await this.store.change(item.deployment_id, item, decide));
    return { deployment_id: item.deployment_id, success: change !== null, error: change ? null : NO_CIRCUIT };
  }

  async register(item: RoutesItem): Promise<RegisterOutcome> {
    const change = await this.announced(
      await this.store.change<Registration>(item.deployment_id, item, (current) =>
        registerRoutes(current, item.routes),
      ),
    );
    return {
      deployment_id: item.deployment_id,
      success: change !== null,
      registered_route_ids: change?.result.registered ?? [],
      already_registered_route_ids: change?.result.alreadyRegistered ?? [],
      error: change ? null : NO_CIRCUIT,
    };
  }

  async unregister(item: UnregisterItem): Promise<UnregisterOutcome> {
    const change = await this.announced(
      await this.store.change<Removal>(item.deployment_id, {}, (current) =>
        unregisterRoutes(current, item.route_ids),
      ),
    );
    return {
      deployment_id: item.deployment_id,
      success: change !== null,
      unregistered_route_ids: change?.result.unregistered ?? [],
      already_absent_route_ids: change?.result.alreadyAbsent ?? [],
      error: change ? null : NO_CIRCUIT,
    };
  }

  private async announced<R>(change: RouteChange<R> | null): Promise<RouteChange<R> | null> {
    if (change) await this.announcer.routesUpdated(change.authority, change.circuit);
    return change;
  }
}
