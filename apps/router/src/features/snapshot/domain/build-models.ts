import type { Publication } from '@penstock/protocol';
import { sanitiseWeight } from '@penstock/routing';
import type { EndpointTarget, ModelRoute, WeightedEndpoint } from './snapshot.js';

/**
 * Resolves every public name. A publication whose endpoints have no circuit yet keeps its names and waits, so the
 * order in which circuits and publications arrive never matters.
 *
 * @param reasons - receives one sentence per name that two publications claim
 */
export function buildModels(
  publications: Iterable<Publication>,
  endpoints: ReadonlyMap<string, EndpointTarget>,
  reasons: string[],
): ReadonlyMap<string, ModelRoute> {
  const models = new Map<string, ModelRoute>();
  for (const publication of publications) {
    const weighted = toWeightedEndpoints(publication, endpoints);
    for (const name of new Set([publication.model, ...publication.aliases])) {
      const owner = models.get(name)?.publication;
      if (owner !== undefined)
        reasons.push(`name "${name}" is claimed by "${owner}" and "${publication.model}"`);
      models.set(name, toRoute(name, publication, weighted));
    }
  }
  return models;
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
  endpoints: ReadonlyMap<string, EndpointTarget>,
): readonly WeightedEndpoint[] {
  const ratios = new Map<string, number>();
  for (const { endpoint_id: id, ratio } of publication.mappings) {
    ratios.set(id, (ratios.get(id) ?? 0) + sanitiseWeight(ratio));
  }
  return Object.freeze(
    [...ratios].map(([endpointId, ratio]) =>
      Object.freeze({ endpointId, ratio, endpoint: endpoints.get(endpointId) ?? null }),
    ),
  );
}
