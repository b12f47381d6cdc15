import { WireError, type Circuit, type EndpointItem, type HealthCheck } from '@penstock/protocol';

import {
  ADVISORY_LOCKS,
  lockFor,
  nullableJsonColumn,
  type Database,
  type Executor,
} from '../../../persistence/index.js';
import { removeCircuits } from '../../circuits/index.js';
import type { HostedCircuit } from '../../propagation/index.js';
import { routerUrl } from '../domain/endpoint-url.js';
import { placeEndpoint } from '../domain/place-endpoint.js';
import { placementProperties } from '../domain/placement-properties.js';
import { insertCircuits, type Placement } from './insert-circuits.js';
import { readPlacementRouters, type PlacementRouter } from './placement-routers.js';

/** Where an endpoint ended up. */
export interface PlacedEndpoint {
  readonly deploymentId: string;
  readonly url: string;
  readonly healthCheckEnabled: boolean;
  readonly router: PlacementRouter;
  /** Null when the endpoint had its circuit already. */
  readonly createdCircuit: Circuit | null;
}

/** Endpoints and the one inference circuit each of them has. */
export class EndpointStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates what is missing of all items, or nothing at all. An endpoint that has a circuit keeps it as it is.
   * @throws WireError 503 when an item finds no router
   */
  create(items: readonly EndpointItem[]): Promise<PlacedEndpoint[]> {
    return this.database.transact(async (db) => {
      // Placement counts circuits: two coordinators placing at once would both count the same ones.
      await lockFor(db, ADVISORY_LOCKS.placement);
      const routers = await readPlacementRouters(db);
      await saveEndpoints(db, items);
      const homes = await readHomes(db, items);
      const created = await insertCircuits(db, placeNew(items, homes, routers));
      return items.map((item) => {
        const circuit = created.get(item.deployment_id) ?? null;
        const router = routers.find((one) => one.id === (circuit?.worker ?? homes.get(item.deployment_id)));
        if (!router) throw WireError.workerNotAvailable();
        return {
          deploymentId: item.deployment_id,
          url: routerUrl(router),
          healthCheckEnabled: item.health_check !== null,
          router,
          createdCircuit: circuit,
        };
      });
    });
  }

  /** @returns the circuits that went with it, none when there was nothing to remove */
  remove(deploymentId: string): Promise<HostedCircuit[]> {
    return this.database.transact(async (db) => {
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

/** One statement for all; an id that comes twice counts with what was said last. */
async function saveEndpoints(db: Executor, items: readonly EndpointItem[]): Promise<void> {
  const configs = new Map(items.map((item) => [item.deployment_id, item.health_check]));
  const json = JSON.stringify([...configs].map(([id, config]) => ({ id, config })));
  await db.$executeRaw`
    INSERT INTO endpoints (id, health_check_enabled, health_check_config, updated_at)
    SELECT id, config IS NOT NULL, config, now() FROM jsonb_to_recordset(${json}::jsonb) AS item(id uuid, config jsonb)
    ON CONFLICT (id) DO UPDATE SET
      health_check_enabled = excluded.health_check_enabled,
      health_check_config = excluded.health_check_config,
      updated_at = excluded.updated_at
    WHERE endpoints.health_check_config IS DISTINCT FROM excluded.health_check_config`;
}

/** Endpoint id -> worker id of the circuit it has already. */
async function readHomes(db: Executor, items: readonly EndpointItem[]): Promise<Map<string, string>> {
  const rows = await db.circuit.findMany({
    where: { endpointId: { in: items.map((item) => item.deployment_id) } },
    select: { endpointId: true, workerId: true },
  });
  return new Map(rows.flatMap(({ endpointId, workerId }) => (endpointId ? [[endpointId, workerId]] : [])));
}

/** @throws WireError 503 when an item finds no router */
function placeNew(
  items: readonly EndpointItem[],
  homes: ReadonlyMap<string, string>,
  routers: readonly PlacementRouter[],
): Placement[] {
  const fresh = new Map<string, Placement>();
  for (const item of items) {
    if (homes.has(item.deployment_id) || fresh.has(item.deployment_id)) continue;
    const wish = { authority: item.authority ?? null, properties: placementProperties(item) };
    const router = placeEndpoint(wish, routers);
    if (!router) throw WireError.workerNotAvailable();
    router.circuits += 1;
    fresh.set(item.deployment_id, { item, workerId: router.id });
  }
  return [...fresh.values()];
}

/** A configuration, whatever it says itself, turns health checking on; the field is what peers read. */
function healthCheckColumns(healthCheck: HealthCheck | null) {
  return {
    healthCheckEnabled: healthCheck !== null,
    healthCheckConfig: nullableJsonColumn(healthCheck),
    updatedAt: new Date(),
  };
}
