import { describe, expect, it } from '@jest/globals';

import { newRequestId } from './request-id.js';

describe('newRequestId', () => {
  it('is a UUID of version 7 behind its prefix', () => {
    expect(newRequestId()).toMatch(
      /^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('sorts by time', () => {
    const ids = [1, 1_000, 1_700_000_000_000, 1_700_000_000_001].map(newRequestId);
    expect([...ids].sort()).toEqual(ids);
  });
});
