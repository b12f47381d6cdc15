import { WireError } from '@penstock/protocol';
import { describe, expect, it } from '@jest/globals';

import { describeRefusal, isRefusal } from './item-refusal.js';

describe('the refusal of one item', () => {
  it('names who is in the way', () => {
    const text = 'Endpoint is the upstream of others. (a, b)';
    expect(describeRefusal(WireError.endpointInUse(['a', 'b']))).toBe(text);
    expect(describeRefusal(WireError.endpointPublished('e', ['m']))).toContain('(e, m)');
    expect(describeRefusal(WireError.workerNotAvailable())).toBe('Worker not available.');
  });

  it('is not what is wrong with the whole service', () => {
    expect(isRefusal(WireError.upstreamConflict('circle'))).toBe(true);
    expect(isRefusal(WireError.workerNotAvailable())).toBe(true);
    expect(isRefusal(WireError.workerNotResponding('w'))).toBe(false);
  });
});
