import type { PassthroughDeps } from '../../../passthrough/index.js';
import type { EndpointTarget, Snapshot } from '../../../snapshot/index.js';
import type { UpgradeDeps } from '../../../upgrade/index.js';
import type { CircuitFallback, HostRules, TokenVerifier } from '../../../wildcard/index.js';
import type { HandlingDeps } from '../../handling-deps.js';

/** One listener on which endpoints have hosts of their own. */
export interface CircuitFrontend {
  /** As logs name it: the public listener of a wildcard worker, or the internal listener of any worker. */
  readonly mode: 'wildcard' | 'internal';
  readonly hosts: HostRules;
  readonly tokens: TokenVerifier;
  /** The endpoints that exist here, by label. */
  targets(snapshot: Snapshot): ReadonlyMap<string, EndpointTarget>;
}

/** What requests by host need beside what all do. */
export interface CircuitDeps extends HandlingDeps {
  readonly frontend: CircuitFrontend;
  readonly passthrough: PassthroughDeps;
  readonly upgrades: UpgradeDeps;
  readonly fallback: CircuitFallback;
}
