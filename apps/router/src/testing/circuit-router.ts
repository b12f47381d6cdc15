import type { DataPlaneSettings } from '../features/ingress/index.js';
import type { EndpointTarget, Snapshot } from '../features/snapshot/index.js';
import { endpoint, replica, snapshot } from './snapshots.js';
import { TestRouter } from './test-router.js';

/** Host of the circuit that {@link circuitOn} makes. */
export const HOST = 'app.models.test';

/** One circuit that needs no token, with a replica on each of these ports. */
export function circuitOn(ports: readonly number[], overrides: Partial<EndpointTarget> = {}): Snapshot {
  const replicas = ports.map((port) => replica(port));
  return snapshot({ hosts: [endpoint(replicas, { label: 'app', requiresToken: false, ...overrides })] });
}

/** A wildcard worker that is not started yet. */
export function circuitRouter(
  settings: Partial<DataPlaneSettings> = {},
  options: ConstructorParameters<typeof TestRouter>[1] = {},
): TestRouter {
  const wildcard = { domain: '.models.test', jwtSecret: 'secret-of-the-tests', aggregationHosts: [] };
  return new TestRouter({ wildcard, ...settings }, options);
}
