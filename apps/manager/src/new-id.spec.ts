import { describe, expect, it } from '@jest/globals';

import { newId } from './new-id.js';

describe('newId', () => {
  it('makes version 7 UUIDs', () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('never goes back, within a millisecond, past its counter, or when the clock does', () => {
    const later = Date.now() + 60_000;
    const ids = Array.from({ length: 10_000 }, (_, index) => newId(later - (index % 3)));
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});
