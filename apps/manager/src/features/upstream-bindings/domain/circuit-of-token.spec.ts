import { describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';

import { circuitOfToken } from './circuit-of-token.js';

describe('the circuit of a token', () => {
  it('is its claim id', () => {
    expect(circuitOfToken(signHs256({ id: 'c1', exp: 1 }, 'secret'))).toBe('c1');
  });

  it.each(['', 'text', 'a.b.c', signHs256({ exp: 1 }, 'secret')])('is unknown for %j', (token) => {
    expect(circuitOfToken(token)).toBeNull();
  });
});
