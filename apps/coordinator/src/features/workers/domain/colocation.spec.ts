import { describe, expect, it } from '@jest/globals';

import { findColocationConflicts, type RegisteredParty } from './colocation.js';

const router: RegisteredParty = {
  authority: 'router-1',
  frontendMode: 'router',
  acceptedTraffics: ['inference'],
  status: 'ALIVE',
  inferenceCircuits: 0,
};
const wildcard: RegisteredParty = { ...router, authority: 'wild-1', frontendMode: 'wildcard' };
const interactive: RegisteredParty = { ...wildcard, frontendMode: 'port', acceptedTraffics: ['interactive'] };

describe('findColocationConflicts', () => {
  it.each([
    ['a router after a stock inference worker', router, [wildcard], ['wild-1']],
    ['a stock inference worker after a router', wildcard, [router], ['router-1']],
    ['a router next to interactive workers', router, [interactive], []],
    ['an interactive worker next to a router', interactive, [router], []],
    ['two routers', router, [{ ...router, authority: 'router-2' }], []],
    ['a dead leftover', router, [{ ...wildcard, status: 'LOST' }], []],
    [
      'a lost worker that still owns circuits',
      router,
      [{ ...wildcard, status: 'LOST', inferenceCircuits: 1 }],
      ['wild-1'],
    ],
    ['an authority that changes its own mode', router, [{ ...wildcard, authority: 'router-1' }], []],
  ])('judges %s', (_what, joining, registered, expected) => {
    expect(findColocationConflicts(joining, registered).map((party) => party.authority)).toEqual(expected);
  });
});
