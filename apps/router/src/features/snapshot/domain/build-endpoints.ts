import { circuitAccess, parseIpList, type Circuit } from '@penstock/protocol';
import { buildGroups } from './build-groups.js';
import { buildHosts, type HostIndex } from './build-hosts.js';
import { isYounger } from './is-younger.js';
import type { EndpointTarget } from './snapshot.js';

/** What requests are sent to, with what it was built from. All by endpoint id. */
export interface EndpointIndex {
  readonly source: ReadonlyMap<string, Circuit>;
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly targets: ReadonlyMap<string, EndpointTarget>;
  readonly list: readonly EndpointTarget[];
  readonly hosts: HostIndex;
}

/**
 * Turns circuits into what requests are sent to. Circuits that serve no inference endpoint over HTTP are left out:
 * a coordinator lists all circuits of a worker, whatever their kind. Of two circuits of one endpoint the younger
 * counts, as an event for the new one may overtake the removal of the old one.
 *
 * @param base - targets of circuits that are still the same are taken from it
 */
export function buildEndpoints(
  source: ReadonlyMap<string, Circuit>,
  base: EndpointIndex | null,
): EndpointIndex {
  if (base?.source === source) return base;
  const circuits = youngestByEndpoint(source.values());
  const targets = new Map<string, EndpointTarget>();
  for (const [id, circuit] of circuits) {
    const known = base?.circuits.get(id) === circuit ? base.targets.get(id) : undefined;
    targets.set(id, known ?? toEndpoint(id, circuit));
  }
  const list = Object.freeze([...targets.values()]);
  return { source, circuits, targets, list, hosts: buildHosts(circuits, targets) };
}

function youngestByEndpoint(circuits: Iterable<Circuit>): ReadonlyMap<string, Circuit> {
  const youngest = new Map<string, Circuit>();
  for (const circuit of circuits) {
    if (!isInference(circuit)) continue;
    const known = youngest.get(circuit.endpoint_id);
    if (!known || isYounger(circuit, known)) youngest.set(circuit.endpoint_id, circuit);
  }
  return youngest;
}

function isInference(circuit: Circuit): circuit is Circuit & { endpoint_id: string } {
  return circuit.app_mode === 'inference' && circuit.protocol === 'http' && circuit.endpoint_id != null;
}

function toEndpoint(endpointId: string, circuit: Circuit): EndpointTarget {
  const clients = parseIpList(circuit.allowed_client_ips ?? null);
  const access = circuitAccess(circuit);
  return Object.freeze({
    endpointId,
    circuitId: circuit.id,
    visibility: access.visibility,
    requiresToken: access.requires_token,
    label: circuit.subdomain?.toLowerCase() ?? null,
    servedModel: circuit.served_model ?? null,
    runtimeVariant: circuit.runtime_variant ?? null,
    capabilities: Object.freeze([...(circuit.capabilities ?? [])]),
    policy: circuit.policy ?? null,
    allowsClient: clients.restricted ? (peer: string) => clients.allows(peer) : null,
    groups: buildGroups(circuit, endpointId),
  });
}
