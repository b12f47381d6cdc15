import type { Publication } from '@penstock/protocol';
import { sanitiseWeight } from '@penstock/routing';
import { isSameRoute } from './is-same-route.js';
import type { EndpointTarget, ModelRoute, WeightedEndpoint } from './snapshot.js';

/** Every public name and where it leads, with what it was built from. */
export interface ModelIndex {
  readonly source: ReadonlyMap<string, Publication>;
  readonly targets: ReadonlyMap<string, EndpointTarget>;
  readonly byName: ReadonlyMap<string, ModelRoute>;
  /** One sentence per mapping that was left out, because its endpoint is internal. */
  readonly warnings: readonly string[];
}

/**
 * Resolves every public name. A publication whose endpoints have no circuit yet keeps its names and waits, so the
 * order in which circuits and publications arrive never matters. Internal endpoints are left out, and with them names
 * that lead to nothing else: such a mapping is refused where it is written, and this is the last place to do so.
 *
 * @param base - routes that come out the same are taken from it, as what is known about a route hangs on its identity
 * @param reasons - receives one sentence per name that two publications claim
 */
export function buildModels(
  source: ReadonlyMap<string, Publication>,
  targets: ReadonlyMap<string, EndpointTarget>,
  base: ModelIndex | null,
  reasons: string[],
): ModelIndex {
  if (base?.source === source && base.targets === targets) return base;
  const byName = new Map<string, ModelRoute>();
  const warnings: string[] = [];
  for (const publication of source.values()) {
    const all = toWeightedEndpoints(publication, targets);
    const endpoints = withoutInternal(publication.model, all, warnings);
    if (endpoints.length === 0 && all.length > 0) continue;
    for (const name of new Set([publication.model, ...publication.aliases])) {
      const owner = byName.get(name)?.publication;
      if (owner !== undefined)
        reasons.push(`name "${name}" is claimed by "${owner}" and "${publication.model}"`);
      const known = base?.byName.get(name);
      const route = toRoute(name, publication, endpoints);
      byName.set(name, known && isSameRoute(known, route) ? known : route);
    }
  }
  return { source, targets, byName, warnings };
}

function withoutInternal(
  model: string,
  all: readonly WeightedEndpoint[],
  warnings: string[],
): readonly WeightedEndpoint[] {
  const isInternal = ({ endpoint }: WeightedEndpoint) => endpoint?.visibility === 'internal';
  if (!all.some(isInternal)) return all;
  for (const { endpointId } of all.filter(isInternal)) {
    warnings.push(`publication "${model}" maps the internal endpoint ${endpointId}`);
  }
  return Object.freeze(all.filter((endpoint) => !isInternal(endpoint)));
}

function toRoute(name: string, publication: Publication, endpoints: readonly WeightedEndpoint[]): ModelRoute {
  return Object.freeze({
    name,
    publication: publication.model,
    endpoints,
    policy: publication.policy ?? null,
  });
}

/** A repeated endpoint counts once, with the sum of its ratios. */
function toWeightedEndpoints(
  publication: Publication,
  targets: ReadonlyMap<string, EndpointTarget>,
): readonly WeightedEndpoint[] {
  const ratios = new Map<string, number>();
  for (const { endpoint_id: id, ratio } of publication.mappings) {
    ratios.set(id, (ratios.get(id) ?? 0) + sanitiseWeight(ratio));
  }
  return Object.freeze(
    [...ratios].map(([endpointId, ratio]) =>
      Object.freeze({ endpointId, ratio, endpoint: targets.get(endpointId) ?? null }),
    ),
  );
}
