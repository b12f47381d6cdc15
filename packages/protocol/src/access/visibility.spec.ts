import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { resolveVisibility, toOpenToPublic, type AccessWish, type CircuitAccess } from './visibility.js';

interface Resolved extends CircuitAccess {
  readonly input: AccessWish;
}

const fixture = loadFixture<{
  readonly from_legacy: readonly Resolved[];
  readonly explicit: readonly Resolved[];
  readonly reject: readonly { readonly input: AccessWish }[];
  readonly to_legacy: readonly (CircuitAccess & { readonly open_to_public: boolean })[];
}>('visibility');

describe('resolveVisibility', () => {
  it.each(fixture.from_legacy)(
    'reads $input in the old spelling',
    ({ input, visibility, requires_token }) => {
      const deprecated = input.open_to_public !== undefined;
      expect(resolveVisibility(input)).toEqual({ ok: true, visibility, requires_token, deprecated });
    },
  );

  it.each(fixture.explicit)('lets the new fields win in $input', ({ input, visibility, requires_token }) => {
    expect(resolveVisibility(input)).toMatchObject({ ok: true, visibility, requires_token });
  });

  it.each([...fixture.reject, { input: { visibility: 'cluster' } }])('refuses $input', ({ input }) => {
    expect(resolveVisibility(input)).toEqual({ ok: false, reason: expect.stringMatching(/visibility/) });
  });

  it('takes the old flag for what the new fields leave open', () => {
    const open = resolveVisibility({ open_to_public: true, visibility: 'public' });
    expect(open).toMatchObject({ ok: true, requires_token: false, deprecated: true });
  });
});

describe('toOpenToPublic', () => {
  it.each(fixture.to_legacy)(
    'tells old readers of $visibility with token $requires_token: $open_to_public',
    ({ visibility, requires_token, open_to_public }) => {
      expect(toOpenToPublic(visibility, requires_token)).toBe(open_to_public);
    },
  );
});
