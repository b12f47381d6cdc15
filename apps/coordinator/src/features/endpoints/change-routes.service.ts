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
  type HostedCircuit,
  type RouteUpdates,
} from '../propagation/index.js';
import type { RouteChange, RouteStore } from './adapters/route.store.js';
import { registerRoutes, replaceRoutes, unregisterRoutes } from './domain/apply-routes.js';
import { describeRefusal, isRefusal } from './domain/item-refusal.js';
import type { ScreenedItem } from './screen-routes.js';

/** Peers compare these texts. */
const NO_CIRCUIT = 'No circuit registered for this endpoint yet.';
const NOT_PROPAGATED = 'Worker propagation failed:';

/** What one call has told the workers, and what of it they must be told anew when the items are done. */
interface Telling {
  readonly updates: RouteUpdates;
  /** By deployment: its circuit, where nobody acknowledged who may reach it now. */
  readonly unheard: Map<string, HostedCircuit>;
}

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
    return this.each(items, options, async (screened, telling) => {
      if (screened.kind === 'refused') return outcome(screened.deploymentId, screened.error);
      const { item } = screened;
      const { error } = await this.settle(
        () => this.store.change(item.deployment_id, item, () => ({ routes: replaceRoutes(item.routes) })),
        telling,
      );
      return outcome(item.deployment_id, error);
    });
  }

  register(items: readonly ScreenedItem[], options: AnnounceOptions): Promise<RegisterOutcome[]> {
    return this.each(items, options, async (screened, telling) =>
      screened.kind === 'refused'
        ? registered(screened.deploymentId, screened.error)
        : this.registerOne(screened.item, telling),
    );
  }

  unregister(items: readonly UnregisterItem[], options: AnnounceOptions): Promise<UnregisterOutcome[]> {
    return this.each(items, options, async ({ deployment_id, route_ids }, telling) => {
      const settled = await this.settle(
        () => this.store.change(deployment_id, {}, (current) => unregisterRoutes(current, route_ids)),
        telling,
      );
      const result = 'change' in settled ? settled.change.result : null;
      return {
        ...outcome(deployment_id, settled.error),
        unregistered_route_ids: result?.unregistered ?? [],
        already_absent_route_ids: result?.alreadyAbsent ?? [],
      };
    });
  }

  private async registerOne(item: RoutesItem, telling: Telling): Promise<RegisterOutcome> {
    const settled = await this.settle(
      () => this.store.change(item.deployment_id, item, (current) => registerRoutes(current, item.routes)),
      telling,
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
    telling: Telling,
  ): Promise<Outcome<R>> {
    try {
      const made = await change();
      return made ? { change: made, error: await tell(made, telling) } : { error: NO_CIRCUIT };
    } catch (error) {
      if (error instanceof WireError && isRefusal(error)) return { error: describeRefusal(error) };
      throw error;
    }
  }

  /** One after the other: the same endpoint may be named twice, and the last word counts. */
  private each<I, O extends BulkOutcome>(
    items: readonly I[],
    options: AnnounceOptions,
    change: (item: I, telling: Telling) => Promise<O>,
  ): Promise<O[]> {
    return this.announcer.routesUpdated(options, async (updates) => {
      const telling: Telling = { updates, unheard: new Map() };
      const outcomes: O[] = [];
      for (const item of items) outcomes.push(await change(item, telling));
      const silent = await this.announceAnew(telling, options);
      return outcomes.map((one) => ({ ...one, ...silent.get(one.deployment_id) }));
    });
  }

  /** @returns what is wrong with the deployments whose worker did not answer */
  private async announceAnew({ unheard }: Telling, { traceparent }: AnnounceOptions) {
    const silent = await this.announcer.announcedAnew([...unheard.values()], traceparent);
    return new Map(
      [...unheard].flatMap(([deploymentId, { circuit, worker }]) => {
        const { message } = WireError.workerNotResponding(worker.authority);
        const failure = { success: false, error: `${NOT_PROPAGATED} ${message}` };
        return silent.has(circuit.id) ? [[deploymentId, failure] as const] : [];
      }),
    );
  }
}

/**
 * A worker that pulls catches up by itself. For any other the caller has to repeat what did not get through.
 * @returns what the caller reads then
 */
async function tell(change: RouteChange<unknown>, { updates, unheard }: Telling): Promise<string | null> {
  const taken = await updates.announce(change);
  if (pullsForEver(change.worker)) return null;
  if (!taken) return `${NOT_PROPAGATED} event bus not reachable`;
  const { endpoint_id } = change.circuit;
  if (change.unheard && endpoint_id !== null) unheard.set(endpoint_id, change);
  return null;
}

function outcome(deployment_id: string, error: string | null): BulkOutcome {
  return { deployment_id, success: error === null, error };
}

function registered(deployment_id: string, error: string): RegisterOutcome {
  return { ...outcome(deployment_id, error), registered_route_ids: [], already_registered_route_ids: [] };
}
