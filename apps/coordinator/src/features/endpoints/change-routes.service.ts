import {
  WireError,
  type BulkOutcome,
  type RegisterOutcome,
  type RoutesItem,
  type UnregisterItem,
  type UnregisterOutcome,
} from '@penstock/protocol';

import {
  pullsForEver,
  type AnnounceOptions,
  type CircuitAnnouncer,
  type RouteUpdates,
} from '../propagation/index.js';
import type { RouteChange, RouteStore } from './adapters/route.store.js';
import { registerRoutes, replaceRoutes, unregisterRoutes } from './domain/apply-routes.js';
import { describeRefusal, isRefusal } from './domain/item-refusal.js';
import type { ScreenedItem } from './screen-routes.js';

/** Peers compare these texts. */
const NO_CIRCUIT = 'No circuit registered for this endpoint yet.';
const NOT_PROPAGATED = 'Worker propagation failed:';

/** One item: what became of it, or why nothing did. */
type Outcome<R> =
  { readonly change: RouteChange<R>; readonly error: string | null } | { readonly error: string };

/**
 * Changes which replicas serve an endpoint, and with what. Each item stands alone and the workers hear of it even when
 * nothing changed: the periodic push of a manager then also repairs a lost event.
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
      const { error } = await this.settle(
        () => this.store.change(item.deployment_id, item, () => ({ routes: replaceRoutes(item.routes) })),
        updates,
        options,
      );
      return outcome(item.deployment_id, error);
    });
  }

  register(items: readonly ScreenedItem[], options: AnnounceOptions): Promise<RegisterOutcome[]> {
    return this.each(items, options, async (screened, updates) =>
      screened.kind === 'refused'
        ? registered(screened.deploymentId, screened.error)
        : this.registerOne(screened.item, updates, options),
    );
  }

  unregister(items: readonly UnregisterItem[], options: AnnounceOptions): Promise<UnregisterOutcome[]> {
    return this.each(items, options, async ({ deployment_id, route_ids }, updates) => {
      const settled = await this.settle(
        () => this.store.change(deployment_id, {}, (current) => unregisterRoutes(current, route_ids)),
        updates,
        options,
      );
      const result = 'change' in settled ? settled.change.result : null;
      return {
        ...outcome(deployment_id, settled.error),
        unregistered_route_ids: result?.unregistered ?? [],
        already_absent_route_ids: result?.alreadyAbsent ?? [],
      };
    });
  }

  private async registerOne(
    item: RoutesItem,
    updates: RouteUpdates,
    options: AnnounceOptions,
  ): Promise<RegisterOutcome> {
    const settled = await this.settle(
      () => this.store.change(item.deployment_id, item, (current) => registerRoutes(current, item.routes)),
      updates,
      options,
    );
    if (!('change' in settled)) return registered(item.deployment_id, settled.error);
    return {
      ...outcome(item.deployment_id, settled.error),
      registered_route_ids: settled.change.result.registered,
      already_registered_route_ids: settled.change.result.alreadyRegistered,
    };
  }

  /** Makes one change and tells its worker. A refusal is the item's own; the database being away is the call's. */
  private async settle<R>(
    change: () => Promise<RouteChange<R> | null>,
    updates: RouteUpdates,
    options: AnnounceOptions,
  ): Promise<Outcome<R>> {
    try {
      const made = await change();
      return made ? { change: made, error: await this.tell(made, updates, options) } : { error: NO_CIRCUIT };
    } catch (error) {
      if (error instanceof WireError && isRefusal(error)) return { error: describeRefusal(error) };
      throw error;
    }
  }

  /**
   * A worker that pulls catches up by itself. For any other the caller has to repeat what did not get through.
   * @returns what the caller reads then
   */
  private async tell(
    change: RouteChange<unknown>,
    updates: RouteUpdates,
    { traceparent }: AnnounceOptions,
  ): Promise<string | null> {
    const taken = await updates.announce(change);
    if (pullsForEver(change.worker)) return null;
    if (!taken) return `${NOT_PROPAGATED} event bus not reachable`;
    return change.admissionChanged ? this.announceAnew(change, traceparent) : null;
  }

  private async announceAnew(change: RouteChange<unknown>, traceparent?: string): Promise<string | null> {
    try {
      await this.announcer.created([change], traceparent);
      return null;
    } catch (error) {
      if (error instanceof WireError) return `${NOT_PROPAGATED} ${error.message}`;
      throw error;
    }
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
