import type { AppProxyEvent, Circuit, ModelApiKey, RouterConfig } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';
import { SnapshotStore } from '../../snapshot/index.js';
import { DesiredStateStore, type PullTicket, type PulledHalves } from '../desired-state.store.js';
import { acknowledgementOf } from '../domain/acknowledgement.js';
import type { PulledConfig } from '../domain/apply-pull.js';
import { replaceKeys } from '../domain/replace-keys.js';
import type { PullScope } from '../pull-scope.js';

const AUTHORITY = 'authority';

/** A desired-state store with everything around it recorded. */
export class StateHarness {
  readonly snapshots = new SnapshotStore();
  readonly acks: AppProxyEvent[] = [];
  readonly pullRequests: PullScope[] = [];
  readonly refusals: string[] = [];
  readonly warnings: string[] = [];
  readonly store = new DesiredStateStore({
    snapshots: this.snapshots,
    rules: () => ({ allowUnrestrictedKeys: false, processes: 1 }),
    now: () => 0,
    observer: {
      applied: ({ event }) => {
        const ack = acknowledgementOf(event, { authority: AUTHORITY, nodeId: 'node' });
        if (ack) this.acks.push(ack);
      },
      swapped: () => undefined,
      warned: (warnings) => this.warnings.push(...warnings),
      refused: (_cause, reasons) => this.refusals.push(...reasons),
      pullNeeded: (scope) => this.pullRequests.push(scope),
    },
  });

  receive(event: AppProxyEvent): void {
    this.store.receive({ event });
  }

  /** A pull that takes no time. */
  pull(halves: PulledHalves): void {
    this.store.completePull(this.store.beginPull(), halves);
  }

  begin(): PullTicket {
    return this.store.beginPull();
  }

  answer(ticket: PullTicket, halves: PulledHalves): void {
    this.store.completePull(ticket, halves);
  }

  /** Names a client sees. */
  get listed(): readonly string[] {
    return [...(this.snapshots.current()?.modelsByName.keys() ?? [])];
  }

  /** Names that have a replica behind them. */
  get routable(): readonly string[] {
    return [...(this.snapshots.current()?.modelsByName.values() ?? [])]
      .filter((model) =>
        model.endpoints.some(({ endpoint }) => endpoint?.groups.some((g) => g.replicas.length)),
      )
      .map((model) => model.name);
  }

  get keys(): readonly string[] {
    return [...(this.snapshots.current()?.keysByHash.values() ?? [])].map((key) => key.keyId);
  }

  get routes(): readonly string[] {
    const endpoints = this.snapshots.current()?.endpoints ?? [];
    return endpoints.flatMap((endpoint) => endpoint.groups.flatMap((g) => g.replicas.map((r) => r.routeId)));
  }

  /** `kind[id]` of every acknowledgement so far. */
  get acknowledged(): readonly string[] {
    return this.acks.map((ack) => {
      if ('circuits' in ack) return `circuit_added[${ack.circuits.map(({ id }) => id).join()}]`;
      return 'kind' in ack ? `${ack.kind}[${ack.id}]` : ack.name;
    });
  }
}

/** A config as it is read when `held` was there at the start of the pull. */
export function pulledConfig(
  { revision, models, api_keys }: RouterConfig,
  held = new ShardedMap<ModelApiKey>(),
): PulledConfig {
  const publications = new Map(models.map((model) => [model.model, model]));
  const reading = replaceKeys(held, api_keys);
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  return { revision, publications, keys: step.value };
}

/** Both halves of a pull. */
export function halves(circuits: readonly Circuit[] | null, config: RouterConfig | null): PulledHalves {
  return { circuits, config: config === null ? 'unchanged' : pulledConfig(config) };
}

/** Builds the events of one authority. */
export const events = {
  circuitCreated: (...circuits: Circuit[]): AppProxyEvent => ({
    name: 'appproxy_circuit_created_event',
    authority: AUTHORITY,
    circuits,
  }),
  circuitRemoved: (...circuits: Circuit[]): AppProxyEvent => ({
    name: 'appproxy_circuit_removed_event',
    authority: AUTHORITY,
    circuits,
  }),
  routesUpdated: (circuit: Circuit, routes: Circuit['route_info']): AppProxyEvent => ({
    name: 'appproxy_circuit_route_updated_event',
    authority: AUTHORITY,
    circuit,
    routes,
  }),
  modelUpdated: (model: RouterConfig['models'][number], revision?: string): AppProxyEvent => ({
    name: 'appproxy_router_model_updated_event',
    authority: AUTHORITY,
    model,
    revision,
  }),
  modelRemoved: (model_name: string, revision?: string): AppProxyEvent => ({
    name: 'appproxy_router_model_removed_event',
    authority: AUTHORITY,
    model_name,
    revision,
  }),
  keyUpdated: (key_id: string, revision?: string): AppProxyEvent => ({
    name: 'appproxy_router_key_updated_event',
    authority: AUTHORITY,
    key_id,
    revision,
  }),
  keyRemoved: (key_id: string, revision?: string): AppProxyEvent => ({
    name: 'appproxy_router_key_removed_event',
    authority: AUTHORITY,
    key_id,
    revision,
  }),
};
