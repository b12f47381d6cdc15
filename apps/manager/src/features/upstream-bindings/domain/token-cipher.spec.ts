import { describe, expect, it } from '@jest/globals';

import { TokenCipher } from './token-cipher.js';

const OLD = 'an old secret of more than 32 characters';
const NEW = 'a new secret of more than 32 characters!';

describe('TokenCipher', () => {
  it('opens what it sealed, and seals the same text differently each time', () => {
    const cipher = new TokenCipher(NEW);
    const [one, two] = [cipher.seal('token', 'd1'), cipher.seal('token', 'd1')];
    expect(cipher.open(one, 'd1')).toBe('token');
    expect(Buffer.from(one.bytes).equals(Buffer.from(two.bytes))).toBe(false);
    expect(Buffer.from(one.bytes).includes('token')).toBe(false);
  });

  it('opens for its owner only', () => {
    const cipher = new TokenCipher(NEW);
    expect(cipher.open(cipher.seal('token', 'd1'), 'd2')).toBeNull();
  });

  it('notices every changed byte', () => {
    const cipher = new TokenCipher(NEW);
    const { bytes, keyId } = cipher.seal('token', 'd1');
    for (const index of bytes.keys()) {
      const changed = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ 1 : byte));
      expect(cipher.open({ bytes: changed, keyId }, 'd1')).toBeNull();
    }
    expect(cipher.open({ bytes: bytes.slice(0, 20), keyId }, 'd1')).toBeNull();
  });

  it('opens with the secret before the last change, and seals with the new one', () => {
    const sealed = new TokenCipher(OLD).seal('token', 'd1');
    const both = new TokenCipher(NEW, OLD);
    expect(both.open(sealed, 'd1')).toBe('token');
    expect(both.knownKeyIds).toContain(sealed.keyId);
    expect(both.seal('token', 'd1').keyId).not.toBe(sealed.keyId);
    expect(new TokenCipher(NEW).open(sealed, 'd1')).toBeNull();
  });
});
