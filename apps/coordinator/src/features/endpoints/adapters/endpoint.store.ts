import { WireError, type EndpointItem, type HealthCheck } from '@penstock/protocol';

import {
  ADVISORY_LOCKS,
  lockFor,
  nullableJsonColumn,
  type Database,
  type Executor,
} from '../../../persistence/index.js';
import { removeCircuits } from '../../circuits/index.js';
import { bindUpstream, lockForRemoval } from '../../lineage/index.js';
import { endpointUrl, PlacementBoard } from '../../placement/index.js';
import { pullsForEver, type HostedCircuit } from '../../propagation/index.js';
import { refusePublishedInternals } from '../../publications/index.js';
import { accessOf } from '../domain/access-of.js';
import { toCircuitWish } from '../domain/circuit-wish.js';
import { insertCircuits, type Placement } from './insert-circuits.js';
import { readHomes, type EndpointHome } from './read-homes.js';

/** Where an endpoint ended up. */
export interface PlacedEndpoint {
  readonly deploymentId: string;
  readonly url: string;
  readonly healthCheckEnabled: boolean;
  readonly hosted: HostedCircuit;
  /** The circuit is new, or one that no worker which hears of it only once ever acknowledged. */
  readonly toAnnounce: boolean;
}

/** Endpoints and the one inference circuit each of them has. */
export class EndpointStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates what is missing of all items, or nothing at all. An endpoint that has a circuit keeps it as it is.
   * @throws WireError 503 when an item finds no worker, 409 wanted port taken, published or bound in a circle
   */
  create(items: readonly EndpointItem[]): Promise<PlacedEndpoint[]> {
    return this.database.transact(async (db) => {
      const bindings = items.filter(({ upstream_endpoint_id }) => upstream_endpoint_id !== undefined);
      // Taken before any row, as every other caller does.
      if (bindings.length > 0) await lockFor(db, ADVISORY_LOCKS.lineage);
      // Two calls with the same new endpoint meet at its row, so what is read after this stays true.
      await saveEndpoints(db, items);
      const homes = await readHomes(db, items);
      const fresh = await placeNew(db, newItems(items, homes));
      for (const { deployment_id, upstream_endpoint_id = null } of bindings)
        await bindUpstream(db, deployment_id, upstream_endpoint_id);
      return items.map((item) =>
        toPlaced(item, homes.get(item.deployment_id), fresh.get(item.deployment_id)),
      );
    });
  }

  /**
   * @returns the circuits that went with it, none when there was nothing to remove
   * @throws WireError 409 while others call it
   */
  remove(deploymentId: string): Promise<HostedCircuit[]> {
    return this.database.transact(async (db) => {
      const there = await lockForRemoval(db, [deploymentId]);
      if (there.length === 0) return [];
      const removed = await removeCircuits(db, { endpointId: deploymentId });
      await db.endpoint.deleteMany({ where: { id: deploymentId } });
      return removed;
    });
  }

  /** @throws WireError 404 unknown endpoint */
  async setHealthCheck(deploymentId: string, healthCheck: HealthCheck | null): Promise<void> {
    const data = healthCheckColumns(healthCheck);
    const { count } = await this.database.query((db) =>
      db.endpoint.updateMany({ where: { id: deploymentId }, data }),
    );
    if (count === 0) throw WireError.objectNotFound('circuit');
  }
}

/** One statement for all; an id that comes twice counts with what was said last. Rows are locked in the order of ids. */
async function saveEndpoints(db: Executor, items: readonly EndpointItem[]): Promise<void> {
  const configs = new Map(items.map((item) => [item.deployment_id, item.health_check]));
  const json = JSON.stringify([...configs].map(([id, config]) => ({ id, config })));
  await db.$executeRaw`
    INSERT INTO endpoints (id, health_check_enabled, health_check_config, updated_at)
    SELECT id, config IS NOT NULL, config, now() FROM jsonb_to_recordset(${json}::jsonb) AS item(id uuid, config jsonb)
    ORDER BY id
    ON CONFLICT (id) DO UPDATE SET
      health_check_enabled = excluded.health_check_enabled,
      health_check_config = excluded.health_check_config,
      updated_at = excluded.updated_at
    WHERE endpoints.health_check_config IS DISTINCT FROM excluded.health_check_config`;
}

/** Each endpoint once, as it was asked for first. */
function newItems(
  items: readonly EndpointItem[],
  homes: ReadonlyMap<string, EndpointHome>,
): readonly EndpointItem[] {
  const fresh = new Map<string, EndpointItem>();
  for (const item of items) {
    if (homes.has(item.deployment_id) || fresh.has(item.deployment_id)) continue;
    fresh.set(item.deployment_id, item);
  }
  return [...fresh.values()];
}

/** @throws WireError 503, 409 */
async function placeNew(
  db: Executor,
  items: readonly EndpointItem[],
): Promise<ReadonlyMap<string, EndpointHome>> {
  if (items.length === 0) return new Map();
  const board = await PlacementBoard.open(db);
  const placements: Placement[] = [];
  for (const item of items) placements.push({ item, ...(await board.place(toCircuitWish(item))) });
  const internal = items.filter((item) => accessOf(item).visibility === 'internal');
  await refusePublishedInternals(
    db,
    internal.map(({ deployment_id }) => deployment_id),
  );
  return insertCircuits(db, placements);
}

function toPlaced(
  item: EndpointItem,
  known: EndpointHome | undefined,
  created: EndpointHome | undefined,
): PlacedEndpoint {
  const home = known ?? created;
  if (!home) throw WireError.workerNotAvailable();
  const { worker, circuit, stored } = home;
  return {
    deploymentId: item.deployment_id,
    url: endpointUrl(worker, stored),
    healthCheckEnabled: item.health_check !== null,
    hosted: { worker, circuit, known: known !== undefined },
    toAnnounce: known === undefined || (!home.acknowledged && !pullsForEver(worker)),
  };
}

/** A configuration, whatever it says itself, turns health checking on; the field is what peers read. */
function healthCheckColumns(healthCheck: HealthCheck | null) {
  return {
    healthCheckEnabled: healthCheck !== null,
    healthCheckConfig: nullableJsonColumn(healthCheck),
    updatedAt: new Date(),
  };
}
