import { describe, expect, it } from '@jest/globals';

import { joinAuthority, type KnownAuthority } from './join-authority.js';

const internal_frontend = { host: '10.0.0.5', port: 10440, domain: '.internal.example' };
const stock = { authority: 'a', node_id: null };
const ours = { authority: 'a', node_id: 'n1', internal_frontend };
const known: KnownAuthority = {
  status: 'ALIVE',
  legacyNodes: 1,
  hasInternalFrontend: false,
  internalCircuits: 0,
};

describe('joinAuthority', () => {
  it('counts nodes without an id, and starts anew once all were lost', () => {
    expect(joinAuthority(stock, null).legacyNodes).toBe(1);
    expect(joinAuthority(stock, known).legacyNodes).toBe(2);
    expect(joinAuthority(stock, { ...known, status: 'LOST' }).legacyNodes).toBe(1);
    expect(joinAuthority(ours, { ...known, status: 'LOST' }).legacyNodes).toBe(1);
  });

  it('lets no node without an internal frontend join where internal circuits live', () => {
    const hosting = { ...known, hasInternalFrontend: true, internalCircuits: 1 };
    expect(() => joinAuthority(stock, hosting)).toThrow(expect.objectContaining({ status: 400 }));
    expect(joinAuthority(ours, hosting).internalFrontend).toEqual(internal_frontend);
  });

  it('offers no internal frontend while a stock node serves the same authority', () => {
    expect(joinAuthority(ours, known).internalFrontend).toBeNull();
    expect(joinAuthority(ours, { ...known, status: 'LOST' }).internalFrontend).toEqual(internal_frontend);
    expect(joinAuthority(ours, { ...known, legacyNodes: 0 }).internalFrontend).toEqual(internal_frontend);
  });
});
