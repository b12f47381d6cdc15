import type {
  BulkOutcome,
  RegisterOutcome,
  RoutesItem,
  UnregisterItem,
  UnregisterOutcome,
} from '@penstock/protocol';

import type { AnnounceOptions, CircuitAnnouncer, RouteUpdates } from '../propagation/index.js';
import type { RouteStore } from './adapters/route.store.js';
import { registerRoutes, replaceRoutes, unregisterRoutes } from './domain/apply-routes.js';
import type { ScreenedItem } from './screen-routes.js';

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

  replace(items: readonly ScreenedItem[], options: AnnounceOptions): Promise<BulkOutcome[]> {
    return this.each(items, options, async (screened, updates) => {
      if (screened.kind === 'refused') return outcome(screened.deploymentId, screened.error);
      const { item } = screened;
      const change = await this.store.change(item.deployment_id, item, () => ({
        routes: replaceRoutes(item.routes),
      }));
      if (change) await updates.announce(change);
      return outcome(item.deployment_id, change ? null : NO_CIRCUIT);
    });
  }

  register(items: readonly ScreenedItem[], options: AnnounceOptions): Promise<RegisterOutcome[]> {
    return this.each(items, options, async (screened, updates) =>
      screened.kind === 'refused'
        ? registered(screened.deploymentId, screened.error)
        : this.registerOne(screened.item, updates),
    );
  }

  unregister(items: readonly UnregisterItem[], options: AnnounceOptions): Promise<UnregisterOutcome[]> {
    return this.each(items, options, async ({ deployment_id, route_ids }, updates) => {
      const change = await this.store.change(deployment_id, {}, (current) =>
        unregisterRoutes(current, route_ids),
      );
      if (change) await updates.announce(change);
      return {
        ...outcome(deployment_id, change ? null : NO_CIRCUIT),
        unregistered_route_ids: change?.result.unregistered ?? [],
        already_absent_route_ids: change?.result.alreadyAbsent ?? [],
      };
    });
  }

  private async registerOne(item: RoutesItem, updates: RouteUpdates): Promise<RegisterOutcome> {
    const change = await this.store.change(item.deployment_id, item, (current) =>
      registerRoutes(current, item.routes),
    );
    if (!change) return registered(item.deployment_id, NO_CIRCUIT);
    await updates.announce(change);
    return {
      ...outcome(item.deployment_id, null),
      registered_route_ids: change.result.registered,
      already_registered_route_ids: change.result.alreadyRegistered,
    };
  }

  /** One after the other: the same endpoint may be named twice, and the last word counts. */
  private each<I, O extends { readonly deployment_id: string }>(
    items: readonly I[],
    options: AnnounceOptions,
    change: (item: I, updates: RouteUpdates) => Promise<O>,
  ): Promise<O[]> {
    return this.announcer.routesUpdated(options, async (updates) => {
      const outcomes: O[] = [];
      for (const item of items) outcomes.push(await change(item, updates));
      return outcomes;
    });
  }
}

function outcome(deployment_id: string, error: string | null): BulkOutcome {
  return { deployment_id, success: error === null, error };
}

function registered(deployment_id: string, error: string): RegisterOutcome {
  return { ...outcome(deployment_id, error), registered_route_ids: [], already_registered_route_ids: [] };
}
