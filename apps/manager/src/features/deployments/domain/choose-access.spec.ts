import { describe, expect, it } from '@jest/globals';

import { type AccessInput, chooseAccess } from './choose-access.js';

const open = { visibility: 'public', requires_token: false } as const;
const guarded = { visibility: 'public', requires_token: true } as const;
const internal = { visibility: 'internal', requires_token: true } as const;
const inside = { visibility: 'internal', requires_token: false } as const;

describe('who may reach a new deployment', () => {
  it.each([
    [{}, guarded],
    [{ open_to_public: true }, open],
    [{ open_to_public: false }, guarded],
    [{ visibility: 'internal' }, internal],
    [{ visibility: 'internal', requires_token: false }, inside],
    [{ visibility: 'public', requires_token: true, open_to_public: true }, guarded],
  ] as const)('follows from %j', (input: AccessInput, access) => {
    expect(chooseAccess(null, input)).toEqual({ ok: true, ...access });
  });

  it('is not open and internal at once', () => {
    expect(chooseAccess(null, { open_to_public: true, visibility: 'internal' })).toEqual({ ok: false });
  });
});

describe('who may reach a changed deployment', () => {
  it.each([
    [guarded, {}, guarded],
    [inside, { visibility: 'public' }, open],
    [guarded, { visibility: 'internal' }, internal],
    [guarded, { open_to_public: true }, open],
    [open, { open_to_public: false }, guarded],
    [open, { open_to_public: true, requires_token: true }, guarded],
    [internal, { open_to_public: true, visibility: 'public' }, open],
  ] as const)('is, from %j with %j, %j', (current, input: AccessInput, access) => {
    expect(chooseAccess(current, input)).toEqual({ ok: true, ...access });
  });

  it.each([open, guarded, internal, inside])(
    'stays %j when the old flag is sent back as it was read',
    (now) => {
      const open_to_public = now.visibility === 'public' && !now.requires_token;
      expect(chooseAccess(now, { open_to_public })).toEqual({ ok: true, ...now });
    },
  );

  it.each([
    [internal, { open_to_public: true }],
    [inside, { open_to_public: true }],
    [open, { open_to_public: true, visibility: 'internal' }],
  ] as const)('is never opened by the old flag while internal: %j with %j', (current, input: AccessInput) => {
    expect(chooseAccess(current, input)).toEqual({ ok: false });
  });
});
