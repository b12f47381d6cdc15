import { WireError, type Circuit, type EndpointItem, type HealthCheck } from '@penstock/protocol';

import {
  ADVISORY_LOCKS,
  jsonColumn,
  lockFor,
  nullableJsonColumn,
  type Database,
  type Executor,
} from '../../../persistence/index.js';
import { removeCircuits, toCircuit, type PlacedCircuit } from '../../circuits/index.js';
import { routerUrl } from '../domain/endpoint-url.js';
import { placeEndpoint } from '../domain/place-endpoint.js';
import { placementProperties } from '../domain/placement-properties.js';
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
      const placed: PlacedEndpoint[] = [];
      for (const item of items) placed.push(await ensureEndpoint(db, item, routers));
      return placed;
    });
  }

  /** @returns the circuits that went with it, none when there was nothing to remove */
  remove(deploymentId: string): Promise<PlacedCircuit[]> {
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

async function ensureEndpoint(
  db: Executor,
  item: EndpointItem,
  routers: PlacementRouter[],
): Promise<PlacedEndpoint> {
  const healthCheck = healthCheckColumns(item.health_check);
  await db.endpoint.upsert({
    where: { id: item.deployment_id },
    create: { id: item.deployment_id, ...healthCheck },
    update: healthCheck,
  });
  const base = { deploymentId: item.deployment_id, healthCheckEnabled: healthCheck.healthCheckEnabled };
  const existing = await db.circuit.findUnique({ where: { endpointId: item.deployment_id } });
  const home = existing ? routers.find((router) => router.id === existing.workerId) : undefined;
  if (home) return { ...base, url: routerUrl(home), router: home, createdCircuit: null };
  const router = placeEndpoint(
    { authority: item.authority ?? null, properties: placementProperties(item) },
    routers,
  );
  if (!router || existing) throw WireError.workerNotAvailable();
  router.circuits += 1;
  return {
    ...base,
    url: routerUrl(router),
    router,
    createdCircuit: await createCircuit(db, item, router.id),
  };
}

async function createCircuit(db: Executor, item: EndpointItem, workerId: string): Promise<Circuit> {
  const now = new Date();
  const row = await db.circuit.create({
    data: {
      createdAt: now,
      updatedAt: now,
      app: item.service_name,
      protocol: 'http',
      workerId,
      appMode: 'inference',
      frontendMode: 'router',
      openToPublic: item.open_to_public,
      userId: asUuid(item.tags.session.user_uuid),
      endpointId: item.deployment_id,
      runtimeVariant: item.tags.endpoint.runtime_variant,
      routeInfo: jsonColumn([]),
      replicaGroups: nullableJsonColumn(item.replica_groups),
      servedModel: item.served_model ?? null,
      capabilities: nullableJsonColumn(item.capabilities),
      policy: nullableJsonColumn(item.policy),
    },
  });
  return toCircuit(row);
}

/** A configuration, whatever it says itself, turns health checking on; the field is what peers read. */
function healthCheckColumns(healthCheck: HealthCheck | null) {
  return {
    healthCheckEnabled: healthCheck !== null,
    healthCheckConfig: nullableJsonColumn(healthCheck),
    updatedAt: new Date(),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tags are free text; only a UUID can be a user id on the wire. */
function asUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}
