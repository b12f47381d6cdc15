import { ShardedMap } from '../../sharded-map.js';
import type { CoordinatorClient } from './coordinator-client.port.js';
import type { PulledConfig } from './domain/apply-pull.js';

/** What a coordinator tells a worker that has no model names and no keys. */
const NOTHING: PulledConfig = { revision: '0', publications: new Map(), keys: new ShardedMap() };

/**
 * A client that never asks for a router-config. To a wildcard worker it says nothing, and coordinators that know no
 * router answer 404, which would look like a lost registration.
 */
export function circuitsOnly(client: CoordinatorClient): CoordinatorClient {
  return {
    register: (worker) => client.register(worker),
    heartbeat: (workerId, report) => client.heartbeat(workerId, report),
    deregister: (workerId, nodeId) => client.deregister(workerId, nodeId),
    circuits: (workerId, held) => client.circuits(workerId, held),
    routerConfig: (_workerId, held) => Promise.resolve(held.revision === null ? NOTHING : null),
    close: () => client.close(),
  };
}
