/** What the rule looks at in a worker, registered or about to be. */
export interface ColocationParty {
  readonly authority: string;
  readonly frontendMode: string;
  readonly acceptedTraffics: readonly string[];
}

export interface RegisteredParty extends ColocationParty {
  readonly status: string;
  readonly inferenceCircuits: number;
}

/**
 * Who forbids this registration. Placement looks at protocol and traffic only, so a router next to a stock inference
 * worker would get the other's circuits without a word. Dead leftovers do not count unless circuits still live there.
 */
export function findColocationConflicts(
  joining: ColocationParty,
  registered: readonly RegisteredParty[],
): ColocationParty[] {
  const counts = (party: RegisteredParty) => party.status === 'ALIVE' || party.inferenceCircuits > 0;
  return registered.filter(
    (party) => party.authority !== joining.authority && counts(party) && clash(joining, party),
  );
}

function clash(one: ColocationParty, other: ColocationParty): boolean {
  return (isRouter(one) && isStockInference(other)) || (isStockInference(one) && isRouter(other));
}

function isRouter(party: ColocationParty): boolean {
  return party.frontendMode === 'router';
}

function isStockInference(party: ColocationParty): boolean {
  return !isRouter(party) && party.acceptedTraffics.includes('inference');
}
