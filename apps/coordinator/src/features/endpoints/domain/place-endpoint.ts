export interface PlacementCandidate {
  readonly authority: string;
  readonly frontendMode: string;
  readonly protocol: string;
  readonly acceptedTraffics: readonly string[];
  readonly status: string;
  readonly filteredAppsOnly: boolean;
  readonly appFilters: readonly { readonly key: string; readonly value: string }[];
  readonly circuits: number;
}

export interface PlacementWish {
  /** Pins the authority. It may be lost for the moment: desired state belongs to the authority, not to its nodes. */
  readonly authority: string | null;
  /** What app filters are matched against, named like `session.user_uuid` or `endpoint.runtime_variant`. */
  readonly properties: ReadonlyMap<string, string>;
}

/** Picks the router authority of a new endpoint: the pinned one, else fewest circuits, then name. Null when none fits. */
export function placeEndpoint<C extends PlacementCandidate>(
  wish: PlacementWish,
  candidates: readonly C[],
): C | null {
  const routers = candidates.filter(servesInference);
  if (wish.authority !== null) return routers.find((c) => c.authority === wish.authority) ?? null;
  const alive = routers.filter((candidate) => candidate.status === 'ALIVE');
  const matched = alive.filter((candidate) => matchesFilter(candidate, wish.properties));
  const open = matched.length > 0 ? matched : alive.filter((candidate) => !candidate.filteredAppsOnly);
  return [...open].sort(byLoadThenName)[0] ?? null;
}

function servesInference(candidate: PlacementCandidate): boolean {
  return (
    candidate.frontendMode === 'router' &&
    candidate.protocol === 'http' &&
    candidate.acceptedTraffics.includes('inference')
  );
}

function matchesFilter(candidate: PlacementCandidate, properties: ReadonlyMap<string, string>): boolean {
  return candidate.appFilters.some(({ key, value }) => properties.get(key) === value);
}

function byLoadThenName(left: PlacementCandidate, right: PlacementCandidate): number {
  return left.circuits - right.circuits || (left.authority < right.authority ? -1 : 1);
}
