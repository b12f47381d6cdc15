import { describe, expect, it } from '@jest/globals';

import { judgeRevocation } from './strict-result.js';

const proven = {
  expected: ['n2', 'n1'],
  acknowledged: new Set(['n1', 'n2']),
  complete: true,
  legacyNodes: 0,
};

describe('judgeRevocation', () => {
  it('confirms when every live node acknowledged', () => {
    expect(judgeRevocation(proven)).toEqual({
      confirmed: true,
      confirmed_nodes: ['n1', 'n2'],
      unconfirmed_nodes: [],
    });
  });

  it('names the node that did not', () => {
    const result = judgeRevocation({ ...proven, acknowledged: new Set(['n1']) });
    expect(result).toEqual({ confirmed: false, confirmed_nodes: ['n1'], unconfirmed_nodes: ['n2'] });
  });

  it.each([
    ['an empty live set', { expected: [] }],
    ['a bus or liveness store that was away', { complete: false }],
    ['a node that sends no id', { legacyNodes: 1 }],
  ])('never takes %s for proof', (_what, differs) => {
    expect(judgeRevocation({ ...proven, ...differs }).confirmed).toBe(false);
  });
});
