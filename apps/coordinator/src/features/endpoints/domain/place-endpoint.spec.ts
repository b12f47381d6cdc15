import { describe, expect, it } from '@jest/globals';

import { placeEndpoint, type PlacementCandidate } from './place-endpoint.js';

function router(authority: string, changes: Partial<PlacementCandidate> = {}): PlacementCandidate {
  return {
    authority,
    frontendMode: 'router',
    protocol: 'http',
    acceptedTraffics: ['inference'],
    status: 'ALIVE',
    filteredAppsOnly: false,
    appFilters: [],
    circuits: 0,
    ...changes,
  };
}

function place(candidates: PlacementCandidate[], authority: string | null = null): string | undefined {
  const properties = new Map([['session.domain_name', 'research']]);
  return placeEndpoint({ authority, properties }, candidates)?.authority;
}

describe('placeEndpoint', () => {
  it('takes the authority with the fewest circuits, then the first name', () => {
    expect(
      place([router('a', { circuits: 2 }), router('c', { circuits: 1 }), router('b', { circuits: 1 })]),
    ).toBe('b');
  });

  it('follows a pin, also to an authority that is lost for the moment', () => {
    expect(place([router('a'), router('b', { status: 'LOST', circuits: 9 })], 'b')).toBe('b');
  });

  it('finds nothing for a pin on an unknown authority', () => {
    expect(place([router('a')], 'nope')).toBeUndefined();
  });

  it('places on living routers only', () => {
    expect(
      place([router('a', { status: 'LOST' }), router('w', { frontendMode: 'wildcard' })]),
    ).toBeUndefined();
  });

  it('prefers workers whose filter matches and keeps others off filtered ones', () => {
    const filtered = router('f', {
      filteredAppsOnly: true,
      circuits: 5,
      appFilters: [{ key: 'session.domain_name', value: 'research' }],
    });
    expect(place([router('a'), filtered])).toBe('f');
    const other = { ...filtered, appFilters: [{ key: 'session.domain_name', value: 'sales' }] };
    expect(place([router('a', { circuits: 9 }), other])).toBe('a');
  });
});
