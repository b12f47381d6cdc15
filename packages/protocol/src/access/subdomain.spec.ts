import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { domainToUnicode } from 'node:url';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { encodePunycode } from './punycode.js';
import { subdomainFor } from './subdomain.js';

interface Case {
  readonly preferred: string | null;
  readonly taken: readonly string[];
}

const fixture = loadFixture<{
  readonly exact: readonly (Case & { readonly result: string })[];
  readonly pattern: readonly (Case & { readonly pattern: string })[];
}>('subdomain');

const randomHex = () => '0a1b2c3d4e5f';

describe('subdomainFor', () => {
  it.each(fixture.exact)('makes $result of $preferred', ({ preferred, taken, result }) => {
    expect(subdomainFor(preferred, (label) => taken.includes(label), randomHex)).toBe(result);
  });

  it.each(fixture.pattern)('makes $pattern of $preferred beside $taken', ({ preferred, taken, pattern }) => {
    const label = subdomainFor(preferred, (candidate) => taken.includes(candidate), randomHex);
    expect(label).toMatch(new RegExp(pattern));
  });

  it('tries again when the random label is taken too, and ends when all are', () => {
    const suffixes = ['00000000', '11111111'];
    const taken = (label: string) => label === 'llama' || label.endsWith('0');
    expect(subdomainFor('llama', taken, () => suffixes.shift() ?? '')).toBe('llama-11111111');
    expect(() => subdomainFor('llama', () => true, randomHex)).toThrow('no free label');
  });

  it('makes one DNS label of any text whatever', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (preferred) => {
        const label = subdomainFor(preferred, () => false, randomHex);
        expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }),
    );
  });
});

describe('encodePunycode', () => {
  it('can be read back by the decoder of the platform', () => {
    const hangul = fc.integer({ min: 0xac00, max: 0xd7a3 }).map((point) => String.fromCodePoint(point));
    const text = fc.string({
      unit: fc.oneof(hangul, fc.constantFrom('a', 'b', '7')),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (original) => {
        fc.pre(/[^a-z0-9]/.test(original));
        expect(domainToUnicode(`xn--${encodePunycode(original)}`)).toBe(original);
      }),
    );
  });
});
