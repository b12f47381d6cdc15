import {
  canonicalPublication,
  type Publication,
  type PublicationMapping,
  type PutModelBody,
} from '@penstock/protocol';

import { sameJson } from '../../../json/same-json.js';

export type PublicationPlan =
  | { readonly kind: 'unchanged'; readonly publication: Publication }
  | { readonly kind: 'conflict'; readonly name: string }
  | { readonly kind: 'changed'; readonly publication: Publication };

/** What a full-state upsert means for the publications an authority has. */
export function planPublication(
  model: string,
  body: PutModelBody,
  published: readonly Publication[],
): PublicationPlan {
  const wanted = toPublication(model, body);
  const current = published.find((one) => one.model === model);
  if (current && samePublication(current, wanted)) return { kind: 'unchanged', publication: current };
  const others = published.filter((one) => one.model !== model);
  const name = takenName(wanted, others);
  return name === undefined ? { kind: 'changed', publication: wanted } : { kind: 'conflict', name };
}

/** The primary name is no alias of itself. */
function toPublication(model: string, body: PutModelBody): Publication {
  const aliases = body.aliases.filter((alias) => alias !== model);
  return canonicalPublication({ model, ...body, aliases });
}

/** An alias routes like a primary name, so every name exists once per authority. */
function takenName(wanted: Publication, others: readonly Publication[]): string | undefined {
  const taken = new Set(others.flatMap((one) => [one.model, ...one.aliases]));
  return [wanted.model, ...wanted.aliases].find((name) => taken.has(name));
}

/** Aliases and mappings are sets: a caller that lists them in another order changed nothing. */
function samePublication(left: Publication, right: Publication): boolean {
  return sameJson(unordered(left), unordered(right));
}

function unordered(publication: Publication): unknown {
  const { model, aliases, mappings, control_mode, policy = null } = publication;
  return {
    model,
    aliases: [...aliases].sort(),
    mappings: [...mappings].sort(byEndpoint),
    control_mode,
    policy,
  };
}

function byEndpoint(left: PublicationMapping, right: PublicationMapping): number {
  return left.endpoint_id < right.endpoint_id ? -1 : 1;
}
