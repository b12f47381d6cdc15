import type { PassthroughDeps } from '../passthrough/index.js';
import type { TunnelDialer } from '../proxy/index.js';
import type { UpgradeDeps } from '../upgrade/index.js';
import { HostRules, noFallback, TokenVerifier, type CircuitFallback } from '../wildcard/index.js';
import type { UpgradeKinds } from './adapters/upgrade-kinds.js';
import type { DataPlaneSettings, ListenerName } from './data-plane.port.js';
import type { FrontHandler } from './front.port.js';
import type { HandlingDeps } from './handling-deps.js';
import { RouterSurface } from './modes/router/router-surface.js';
import type { CircuitFrontend } from './modes/wildcard/circuit-deps.js';
import { CircuitSurface } from './modes/wildcard/circuit-surface.js';

interface SurfaceOptions {
  /** Its members may be replaced while running, so whoever is made here looks into it and copies nothing. */
  readonly deps: HandlingDeps;
  readonly settings: DataPlaneSettings;
  readonly dialer: TunnelDialer;
  readonly fallback: CircuitFallback | undefined;
}

/** What answers on one listener. */
interface Surface {
  readonly handler: FrontHandler;
  readonly upgrades: UpgradeKinds;
}

/** The listeners that the settings name, each with what answers on it. */
export function createSurfaces(options: SurfaceOptions): ReadonlyMap<ListenerName, Surface> {
  const { settings } = options;
  const surfaces = new Map<ListenerName, Surface>([['public', publicSurface(options)]]);
  if (settings.internal !== null) {
    const { domain, jwtSecret } = settings.internal;
    const frontend: CircuitFrontend = {
      mode: 'internal',
      hosts: new HostRules({ domain, aggregationHosts: null }),
      tokens: new TokenVerifier(jwtSecret),
      targets: (snapshot) => snapshot.internalHosts,
    };
    surfaces.set('internal', circuitSurface(options, frontend));
  }
  return surfaces;
}

function publicSurface(options: SurfaceOptions): Surface {
  const { deps, settings } = options;
  if (settings.wildcard === null) {
    return { handler: new RouterSurface(deps), upgrades: 'websocket' };
  }
  const { jwtSecret, ...rules } = settings.wildcard;
  return circuitSurface(options, {
    mode: 'wildcard',
    hosts: new HostRules(rules),
    tokens: new TokenVerifier(jwtSecret),
    targets: (snapshot) => snapshot.publicHosts,
  });
}

function circuitSurface(options: SurfaceOptions, frontend: CircuitFrontend): Surface {
  const { deps, dialer, fallback = noFallback } = options;
  const trustsPeer = (peer: string) => deps.trustsPeer(peer);
  const passthrough: PassthroughDeps = derived(deps.forwarding, { trustsPeer });
  const upgrades: UpgradeDeps = derived(deps.forwarding, { trustsPeer, dialer });
  const circuitDeps = derived(deps, { frontend, passthrough, upgrades, fallback });
  return { handler: new CircuitSurface(circuitDeps), upgrades: 'any' };
}

/** A view on `base` with more members: what is replaced in `base` later is seen through it. */
function derived<Base extends object, More extends object>(base: Base, more: More): Base & More {
  return Object.assign(Object.create(base) as Base, more);
}
