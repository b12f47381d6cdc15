import { describe, expect, it } from '@jest/globals';

import { editsRatios } from './ratio-edit.js';

describe('editsRatios', () => {
  const before = [
    { deployment_id: 'a', ratio: 0.7 },
    { deployment_id: 'b', ratio: 0.3 },
  ];

  it('sees a changed ratio of a deployment that stays', () => {
    expect(editsRatios(before, [{ deployment_id: 'a', ratio: 0.5 }])).toBe(true);
  });

  it('does not mind members that come, go or change places', () => {
    expect(editsRatios(before, [{ deployment_id: 'b', ratio: 0.3 }])).toBe(false);
    expect(editsRatios(before, [...before].reverse())).toBe(false);
    expect(editsRatios(before, [...before, { deployment_id: 'c', ratio: 9 }])).toBe(false);
  });
});
