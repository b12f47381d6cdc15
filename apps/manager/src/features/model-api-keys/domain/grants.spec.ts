import { describe, expect, it } from '@jest/globals';

import { shrinkGrants, widenedBy } from './grants.js';

describe('grants', () => {
  it('shrink and never grow', () => {
    const visible = new Set(['b', 'c']);
    expect(shrinkGrants(['a', 'b'], (name) => visible.has(name))).toEqual({ kept: ['b'], lost: ['a'] });
  });

  it('show what a changed list would add', () => {
    expect(widenedBy(['a', 'b'], ['b', 'c'])).toEqual(['c']);
    expect(widenedBy(['a', 'b'], ['b'])).toEqual([]);
  });
});
