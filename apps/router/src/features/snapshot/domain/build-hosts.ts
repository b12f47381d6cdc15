import type { Circuit } from '@penstock/protocol';
import { isYounger } from './is-younger.js';
import type { EndpointTarget } from './snapshot.js';

/** Endpoints that are found by a host name, by the first label of it. */
export interface HostIndex {
  readonly public: ReadonlyMap<string, EndpointTarget>;
  readonly internal: ReadonlyMap<string, EndpointTarget>;
}

type Claims = Map<string, { readonly circuit: Circuit; readonly target: EndpointTarget }>;

/**
 * Sorts endpoints into the two worlds of hosts, which share nothing. A public one has a host only on a wildcard worker;
 * an internal one has one on every worker. Of two that claim one label the younger counts, as an event for the new one
 * may overtake the removal of the old one.
 */
export function buildHosts(
  circuits: ReadonlyMap<string, Circuit>,
  targets: ReadonlyMap<string, EndpointTarget>,
): HostIndex {
  const claims = { public: new Map() as Claims, internal: new Map() as Claims };
  for (const [id, circuit] of circuits) {
    const target = targets.get(id);
    if (target === undefined || target.label === null || !hasHost(circuit, target)) continue;
    const claimed = claims[target.visibility].get(target.label)?.circuit;
    if (claimed && !isYounger(circuit, claimed)) continue;
    claims[target.visibility].set(target.label, { circuit, target });
  }
  return { public: targetsOf(claims.public), internal: targetsOf(claims.internal) };
}

function hasHost(circuit: Circuit, target: EndpointTarget): boolean {
  return target.visibility === 'internal' || circuit.frontend_mode === 'wildcard';
}

function targetsOf(claims: Claims): ReadonlyMap<string, EndpointTarget> {
  return new Map([...claims].map(([label, { target }]) => [label, target]));
}
