import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import {
  COORDINATOR_CLIENT,
  type CoordinatorClient,
  type EntityKind,
  type EntityRef,
  keyOf,
  type RouterWorker,
  toPutKeyBody,
  toPutModelBody,
  toRoutesItem,
} from '../coordinator-sync/index.js';
import { deploymentRef } from '../deployment-rows/index.js';
import { type DirtyEntity, OutboxRelay, OutboxStore } from '../outbox/index.js';
import { Database } from '../storage/index.js';
import { RenewStaleTokensService } from '../upstream-bindings/index.js';
import { DesiredStore, type DesiredState } from './desired.store.js';
import { circuitAgrees, keyAgrees, publicationAgrees } from './domain/compare.js';
import { type Drift, findDrift } from './domain/find-drift.js';
import { RepeatRoutesService } from './repeat-routes.service.js';

const CALL = { deadlineMs: 10_000 };

/** What the coordinator has for the clients of a router. */
interface PublishedState {
  readonly models: Awaited<ReturnType<CoordinatorClient['listModels']>>['models'];
  readonly api_keys: Awaited<ReturnType<CoordinatorClient['listKeys']>>['api_keys'];
}

/**
 * Compares what an authority should have with what its coordinator has, and marks what differs for the relay. It
 * finds what no outbox row can know of: a coordinator restored from a backup, or edited by hand.
 */
@Injectable()
export class RepairDriftService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(DesiredStore) private readonly desired: DesiredStore,
    @Inject(COORDINATOR_CLIENT) private readonly coordinator: CoordinatorClient,
    @Inject(RenewStaleTokensService) private readonly tokens: RenewStaleTokensService,
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    @Inject(RepeatRoutesService) private readonly repeats: RepeatRoutesService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  /**
   * Entities that change while it looks are left to their own pushes.
   * @returns how many entities were marked
   * @throws CoordinatorError when the coordinator cannot be asked
   */
  async repair(authority: string): Promise<number> {
    const askedAt = new Date();
    const owed = await this.outbox.pendingKeys(authority);
    const worker = await this.#worker(authority);
    const published = await this.#published(authority, worker);
    const circuits = worker === undefined ? [] : await this.coordinator.listCircuits(worker.id, CALL);
    const state = await this.desired.read(authority);
    const dirty = [
      ...(published === null ? [] : this.#publishedDirty(authority, state, published)),
      ...this.#dirty(authority, 'deployment', state, deploymentDrift(state, circuits)),
      ...this.#dirty(authority, 'deployment', state, await this.#misbound(state)),
    ].filter(({ ref }) => !owed.has(keyOf(ref)) && changedAt(state, ref) < askedAt);
    if (dirty.length > 0) await this.#mark(authority, dirty);
    if (worker !== undefined && worker.frontendMode !== 'router') {
      await this.repeats.repeat(authority, deploymentRefs(state, owed));
    }
    await this.tokens.renew(circuitIds(circuits));
    return dirty.length;
  }

  async #worker(authority: string): Promise<RouterWorker | undefined> {
    const workers = await this.coordinator.listWorkers(CALL);
    return workers.find((candidate) => candidate.authority === authority);
  }

  /** Null for an authority whose worker is of another kind: it has no publications and no keys. */
  async #published(authority: string, worker: RouterWorker | undefined): Promise<PublishedState | null> {
    if (worker !== undefined && worker.frontendMode !== 'router') return null;
    const [{ models }, { api_keys }] = await Promise.all([
      this.coordinator.listModels(authority, CALL),
      this.coordinator.listKeys(authority, CALL),
    ]);
    return { models, api_keys };
  }

  #publishedDirty(
    authority: string,
    state: DesiredState,
    { models, api_keys }: PublishedState,
  ): DirtyEntity[] {
    return [
      ...this.#dirty(authority, 'publication', state, publicationDrift(state, models)),
      ...this.#dirty(authority, 'api-key', state, keyDrift(state, api_keys)),
    ];
  }

  /** Upstreams are no part of a circuit; they are asked for one by one, for the few deployments that have one. */
  async #misbound(state: DesiredState): Promise<Drift> {
    const bound = [...state.deployments.values()].filter((row) => row.upstream_deployment_id !== null);
    const push: string[] = [];
    for (const { id, upstream_deployment_id } of bound) {
      const found = await this.coordinator.upstreamOf(id, CALL);
      if (found !== undefined && found !== upstream_deployment_id) push.push(id);
    }
    return { push, remove: [], foreign: [] };
  }

  #dirty(authority: string, kind: EntityKind, state: DesiredState, drift: Drift): DirtyEntity[] {
    if (drift.foreign.length > 0) {
      this.logger.debug(
        { authority, kind, count: drift.foreign.length },
        'objects of others on the coordinator',
      );
    }
    const owner = (key: string) => ownerOf(state, kind, key);
    const entity = (entityKey: string, removed: boolean): DirtyEntity => ({
      ref: { authority, kind, entityKey, ...owner(entityKey) },
      removed,
      forRelay: true,
    });
    return [...drift.push.map((key) => entity(key, false)), ...drift.remove.map((key) => entity(key, true))];
  }

  async #mark(authority: string, dirty: readonly DirtyEntity[]): Promise<void> {
    await this.database.transaction((tx) => this.outbox.mark(tx, dirty, null));
    for (const { ref } of dirty) this.metrics.drift.inc({ kind: ref.kind });
    const entities = dirty.slice(0, 20).map(({ ref }) => `${ref.kind} ${ref.entityKey}`);
    this.logger.warn({ authority, count: dirty.length, entities }, 'the coordinator differs; pushing again');
    await this.relay.runOnce();
  }
}

function circuitIds(circuits: Awaited<ReturnType<CoordinatorClient['listCircuits']>>) {
  return new Map(circuits.map(({ id, endpoint_id }) => [endpoint_id ?? '', id]));
}

function publicationDrift(
  state: DesiredState,
  found: Awaited<ReturnType<CoordinatorClient['listModels']>>['models'],
): Drift {
  return findDrift(
    state.publications,
    new Map(found.map((publication) => [publication.model, publication])),
    state.removed.publication,
    (wanted, there) => publicationAgrees(toPutModelBody(wanted), there),
  );
}

/** A key whose push was never answered is pushed again, even when the listings look the same. */
function keyDrift(
  state: DesiredState,
  found: Awaited<ReturnType<CoordinatorClient['listKeys']>>['api_keys'],
): Drift {
  return findDrift(
    state.keys,
    new Map(found.map((key) => [key.key_id, key])),
    state.removed['api-key'],
    (wanted, there) => wanted.pushed_revision !== null && keyAgrees(toPutKeyBody(wanted), there),
  );
}

function deploymentDrift(
  state: DesiredState,
  circuits: Awaited<ReturnType<CoordinatorClient['listCircuits']>>,
): Drift {
  const found = circuits.flatMap((circuit) =>
    circuit.endpoint_id === null ? [] : [[circuit.endpoint_id, circuit] as const],
  );
  return findDrift(state.deployments, new Map(found), state.removed.deployment, (wanted, there) =>
    circuitAgrees(toRoutesItem(wanted), there),
  );
}

/** Those that nobody pushes anyway. */
function deploymentRefs(state: DesiredState, owed: ReadonlySet<string>): EntityRef[] {
  const refs = [...state.deployments.values()].map(deploymentRef);
  return refs.filter((ref) => !owed.has(keyOf(ref)));
}

function ownerOf(state: DesiredState, kind: EntityKind, key: string) {
  const row = rowOf(state, kind, key);
  return { domain: row?.domain ?? null, projectId: row?.project_id ?? null };
}

function changedAt(state: DesiredState, { kind, entityKey }: EntityRef): Date {
  return rowOf(state, kind, entityKey)?.updated_at ?? state.removed[kind].get(entityKey) ?? new Date(0);
}

function rowOf(state: DesiredState, kind: EntityKind, key: string) {
  const sources = { publication: state.publications, 'api-key': state.keys, deployment: state.deployments };
  return sources[kind].get(key);
}
