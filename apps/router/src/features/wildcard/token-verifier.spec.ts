import { describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { TokenVerifier } from './token-verifier.js';

const SECRET = 'a secret of this test';
const AT = 1_800_000_000_000;

const token = (claims: object, secret = SECRET) => signHs256(claims, secret);
const ok = (circuitId: string) => ({ ok: true, circuitId });
const not = (reason: string) => ({ ok: false, reason });

describe('a token seen before', () => {
  it('is good until it expires, and not a millisecond longer', () => {
    const tokens = new TokenVerifier(SECRET);
    const sent = token({ id: 'c', exp: AT / 1_000 + 1 });
    expect(tokens.check(sent, AT)).toEqual(ok('c'));
    expect(tokens.check(sent, AT + 999)).toEqual(ok('c'));
    expect(tokens.check(sent, AT + 1_000)).toEqual(not('expired'));
    expect(tokens.check(sent, AT + 1_001)).toEqual(not('expired'));
  });

  it('does not make one that differs in its signature good', () => {
    const tokens = new TokenVerifier(SECRET);
    const good = token({ id: 'c' });
    expect(tokens.check(good, AT)).toEqual(ok('c'));
    expect(tokens.check(good.slice(0, -2), AT)).toEqual(not('signature'));
    expect(tokens.check(token({ id: 'c' }, 'another secret'), AT)).toEqual(not('signature'));
  });

  it('may be forgotten under many others, and is good all the same', () => {
    const tokens = new TokenVerifier(SECRET);
    const first = token({ id: 'first' });
    expect(tokens.check(first, AT)).toEqual(ok('first'));
    for (let n = 0; n < 8_200; n += 1) tokens.check(token({ id: String(n) }), AT);
    expect(tokens.check(first, AT)).toEqual(ok('first'));
  });
});

it('takes an id that is no string for no circuit', () => {
  const tokens = new TokenVerifier(SECRET);
  expect(tokens.check(token({ id: 7 }), AT)).toEqual(ok(''));
  expect(tokens.check(token({}), AT)).toEqual(ok(''));
});

it('does not look into a token of unreasonable length', () => {
  expect(new TokenVerifier(SECRET).check('x'.repeat(20_000), AT)).toEqual(not('malformed'));
});
